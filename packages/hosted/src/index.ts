export type { SessionCost } from './brain/cost/session-cost.ts'
export type { HostedDatabase } from './database/hosted-database.ts'
export { SQLITE_MIGRATIONS as HOSTED_MIGRATIONS } from './database/migrations.ts'
export type { HandsReport } from './hands/hands.ts'
export { type StoredKey, toHostedKey } from './keys/key.ts'
export { createKey, listKeys, revokeKey } from './keys/keys.ts'
export type { HostedModelCall, ModelCallMark } from './overview/model-calls.ts'
export { findOwnServer, type OwnServer } from './serve/find-own-server.ts'
export type {
  HostedFacts,
  HostedRole,
  RunningHosted,
  StartHostedOptions,
} from './serve/hosted-options.ts'
export { type HostedPlace, hostedPlaceOf } from './serve/hosted-place.ts'
export { openStore } from './serve/open-store.ts'
export { ensureOwnKey, readOwnKey } from './serve/own-key.ts'
export { startHosted } from './serve/start-hosted.ts'
