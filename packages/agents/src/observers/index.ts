export {
  createObserverTeam,
  type ObserverTeam,
  type ObserverTeamPorts,
} from './create-observer-team.ts'
export type { CallEffect, CallReading, LoggedCall, ReadCall } from './evidence.ts'
export { findObjections, type Objection, type ObservedPast } from './find-objections.ts'
export type { Intent } from './intent.ts'
export type { AskModel } from './model/ask-model.ts'
export { parseObserverPolicy } from './parse-observer-policy.ts'
export { readLoggedCall } from './read-logged-call.ts'
export { type RecordedCycle, splitIntoCycles } from './split-into-cycles.ts'
