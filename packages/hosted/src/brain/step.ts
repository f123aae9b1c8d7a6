import type { NewEvent, StoredEvent } from '../database/stored-event.ts'
import type { OutcomeState, ToolUse } from './log-view.ts'

/** The next step of a session. */
export type Step =
  /** Wait until a client sends something. */
  | { type: 'rest' }
  | { type: 'wait'; untilMs: number }
  /** Events to append without further work. `processed`: client events that they handle. */
  | { type: 'append'; events: readonly NewEvent[]; processed: readonly string[] }
  | {
      type: 'ask'
      purpose: 'turn'
      /** Whether to append a status event that the session is running. */
      starts: boolean
      taken: readonly StoredEvent[]
      processed: readonly string[]
    }
  | { type: 'ask'; purpose: 'compaction'; starts: boolean; processed: readonly string[] }
  | {
      type: 'ask'
      purpose: 'judgement'
      starts: boolean
      outcome: OutcomeState
      processed: readonly string[]
    }
  | {
      type: 'run'
      use: ToolUse
      starts: boolean
      /** The tool has side effects, so a crash must leave a trace of it. */
      mark: boolean
      processed: readonly string[]
    }
  /** A call of the coordinator's own tools, which needs no sandbox. */
  | { type: 'delegate'; use: ToolUse; starts: boolean; processed: readonly string[] }
export type DelegateStep = Extract<Step, { type: 'delegate' }>
export type AskStep = Extract<Step, { type: 'ask' }>
export type RunStep = Extract<Step, { type: 'run' }>
export type AppendStep = Extract<Step, { type: 'append' }>
