import type {
  Fetch,
  HostedAgentOutcome,
  HostedAgentTask,
  ReadFile,
  Settings,
  Shell,
  TurnAnswer,
  TurnTask,
} from '@steward/contract'
import type { ModelClient } from '@steward/models'
import type { StartTimer } from '@steward/platform'
import type { ActionHosts } from '../action-host/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { RunHistory } from '../history/history.ts'

interface ShellScope {
  network: boolean
  signal: AbortSignal
  /** The longest duration of a command: the action's own timeout. */
  limits: { timeoutMs: number }
}

/**
 * Runs a turn of an assistant. The same key is the same turn, so that a step that is repeated after an
 * interruption does not pay for it again. An abort ends the wait; the turn itself is only stopped if the
 * run was cancelled or timed out.
 */
export type RunTurn = (
  task: TurnTask,
  options: { key: string; signal: AbortSignal },
) => Promise<TurnAnswer>

/** Runs a task in a hosted session; the same key is the same session. */
export type RunHostedTask = (
  task: HostedAgentTask,
  options: { key: string; signal: AbortSignal },
) => Promise<HostedAgentOutcome>

/** The dependencies of a runner. */
export interface RunnerPorts {
  catalog: Catalog
  history: RunHistory
  /** The processes that actions run in. */
  hosts: ActionHosts
  /** Milliseconds since the epoch. */
  now: () => number
  /** How long a run may use definitions without another look at their files; 0 unless given. */
  definitionsFreshMs?: number
  /** Waits between the attempts of a step; the system's timer unless given. */
  startTimer?: StartTimer
  /** Chosen on first use, so that a run without model calls never looks for one. */
  model: () => Promise<ModelClient>
  fetch: Fetch
  readFile: ReadFile
  shell: (scope: ShellScope) => Shell
  /** Absent where no assistant can be run. */
  assistant?: RunTurn
  /** Absent where no hosted agent can be run. */
  hostedAgent?: RunHostedTask
  /** Where programs are looked for. */
  path: string
  secret: (name: string) => string | undefined
  budgets: () => Settings['execution']['budgets']
}
