import type { Settings } from '@steward/contract'
import type { Home } from '@steward/memory'
import type { ModelClient } from '@steward/models'
import type { Catalog } from './catalog/index.ts'
import type { FlowRunner } from './flows/flow-runner.ts'
import type { RunHistory } from './history/history.ts'
import type { Runner } from './runner/index.ts'

export interface StewardOptions {
  env: Record<string, string | undefined>
  homedir: string
  /** The library that ships with Steward. */
  builtIn: string
  now?: () => number
}

/** The local Steward, open: everything that a command line, a server or a test needs. */
export interface Steward {
  home: Home
  settings: Settings
  catalog: Catalog
  history: RunHistory
  runner: Runner
  flows: FlowRunner
  model: () => Promise<ModelClient>
  close: () => Promise<void>
}
