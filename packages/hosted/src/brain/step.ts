import type { NewEvent, StoredEvent } from '../database/stored-event.ts'
import type { OutcomeState, ToolUse } from './log-view.ts'

/** What comes next for a session. */
export type Step =
  /** Nothing until a client sends something. */
  | { type: 'rest' }
  | { type: 'wait'; untilMs: number }
  /** Something to write down and nothing to do. `processed`: client events that are taken up by it. */
  | { type: 'append'; events: readonly NewEvent[]; processed: readonly string[] }
  | {
      type: 'ask'
      purpose: 'turn'
      /** Whether the session has to be told that it runs. */
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
      /** It changes something, so a crash must leave a trace of it. */
      mark: boolean
      processed: readonly string[]
    }
export type AskStep = Extract<Step, { type: 'ask' }>
export type RunStep = Extract<Step, { type: 'run' }>
export type AppendStep = Extract<Step, { type: 'append' }>
