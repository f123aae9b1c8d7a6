import type { StewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { SessionOutput } from '../files/read-file.ts'
import type { Hands } from '../hands/hands.ts'
import type { ModelList } from '../models/model-list.ts'
import type { Seal } from '../vaults/seal.ts'
import type { TryOauth } from '../vaults/try-oauth.ts'

export interface HostedApiPorts {
  database: HostedDatabase
  now: () => number
  /** Repeats an action until stopped: the keep-alive of streams. */
  repeat: (everyMs: number, action: () => void) => () => void
  /** Runs an action once, later, unless cancelled. */
  setTimer: StartTimer
  seal: Seal
  /** Tests an OAuth credential at its MCP server. */
  tryOauth: TryOauth
  hands: Pick<Hands, 'describe'>
  outputs: (sessionId: string) => Promise<readonly SessionOutput[]>
  /** Whether a model has a list price: budgets cannot limit models without a known price. */
  isPriced: (model: string) => boolean
  models: ModelList
  /** Receives internal errors. */
  report: (error: StewardError, where: string) => void
  /** Names of this server besides those of loopback. */
  ownNames: readonly string[]
  limits: HostedApiLimits
}

export interface HostedApiLimits {
  bodyBytes: number
  fileBytes: number
  /** Maximum open streams of this process. */
  streams: number
}

export const HOSTED_API_LIMITS: HostedApiLimits = {
  bodyBytes: 32 * 1024 * 1024,
  fileBytes: 128 * 1024 * 1024,
  streams: 10_000,
}
