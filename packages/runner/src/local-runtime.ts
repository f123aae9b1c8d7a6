import type { Fetch, Result, Settings } from '@steward/contract'
import type { SendNotice, WriteNote } from '@steward/engine'
import type { ModelClient } from '@steward/models'
import type { Environment, Home, Redactor, RedactRecords, Sandbox } from '@steward/platform'
import type { Catalog } from './catalog/index.ts'
import type { Feeds } from './feed-store/index.ts'
import type { FlowRunner } from './flows/flow-runner.ts'
import type { StoredHistory } from './history/index.ts'
import type { RunHostedTask, Runner, RunTurn } from './runner/index.ts'
import type { ReadUsage } from './sources/index.ts'

export interface LocalRuntimeOptions {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** The library that ships with Steward. */
  builtIn: string
  now?: () => number
  /** The user's working directory; actions may read files there. */
  cwd?: string
  /** Sends notifications for flows whose destination is `notify`; without it they are refused. */
  sendNotice?: SendNotice
  /** Writes notes for flows whose destination is `note`; without it they are refused. */
  writeNote?: WriteNote
  /** Describes usage for flows whose source is `usage`; without it they are refused. */
  readUsage?: ReadUsage
  /** Runs turns of assistants; without it, actions that need one are refused. */
  assistant?: RunTurn
  /** Runs tasks in hosted sessions; without it, actions that need one are refused. */
  hostedAgent?: RunHostedTask
  /** How runs are masked for display. */
  redactRecords?: RedactRecords
  /** How long a run may use definitions without another look at their files; 0 unless given. */
  definitionsFreshMs?: number
}

/** The opened local Steward: everything that a command line, a server or a test needs. */
export interface LocalRuntime {
  home: Home
  /** The library that ships with Steward. */
  builtIn: string
  settings: Settings
  /** The process environment merged with the data home's `.env`. */
  environment: Environment
  redactor: Redactor
  catalog: Catalog
  history: StoredHistory
  runner: Runner
  flows: FlowRunner
  /** Feeds, their items, and queues. */
  feeds: Feeds
  /** Refuses private addresses; for untrusted input. */
  fetch: Fetch
  model: () => Promise<ModelClient>
  sandbox: () => Promise<Result<Sandbox>>
  close: () => Promise<void>
}
