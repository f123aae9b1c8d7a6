import type { Fetch, ReadFile, Settings, Shell } from '@steward/contract'
import type { ModelClient } from '@steward/models'
import type { Catalog } from '../catalog/index.ts'
import type { RunHistory } from '../history/history.ts'

interface ShellScope {
  network: boolean
  signal: AbortSignal
  /** The longest a command may take: the action's own time. */
  limits: { timeoutMs: number }
}

/** All that a runner needs of the world. */
export interface RunnerPorts {
  catalog: Catalog
  history: RunHistory
  /** Milliseconds since the epoch. */
  now: () => number
  /** Chosen on first use, so that a run without model calls never looks for one. */
  model: () => Promise<ModelClient>
  fetch: Fetch
  readFile: ReadFile
  shell: (scope: ShellScope) => Shell
  secret: (name: string) => string | undefined
  budgets: () => Settings['execution']['budgets']
}
