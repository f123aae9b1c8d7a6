import type { StewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { SessionOutput } from '../files/read-file.ts'
import type { Hands } from '../hands/hands.ts'
import type { Seal } from '../vaults/seal.ts'
import type { TryOauth } from '../vaults/try-oauth.ts'

export interface HostedApiPorts {
  database: HostedDatabase
  now: () => number
  /** Does it again and again until told to stop: the keep-alive of streams. */
  repeat: (everyMs: number, action: () => void) => () => void
  /** Does it once, later, unless told not to. */
  setTimer: StartTimer
  seal: Seal
  /** Tries an OAuth credential out at its MCP server. */
  tryOauth: TryOauth
  hands: Pick<Hands, 'describe'>
  outputs: (sessionId: string) => Promise<readonly SessionOutput[]>
  /** Whether a model has a list price: a budget holds only what can be priced. */
  isPriced: (model: string) => boolean
  /** Where failures of our own go. */
  report: (error: StewardError, where: string) => void
  /** Names under which this server is called beside loopback's. */
  ownNames: readonly string[]
  limits: HostedApiLimits
}

export interface HostedApiLimits {
  bodyBytes: number
  fileBytes: number
  /** Open streams of this process. */
  streams: number
}

export const HOSTED_API_LIMITS: HostedApiLimits = {
  bodyBytes: 32 * 1024 * 1024,
  fileBytes: 128 * 1024 * 1024,
  streams: 10_000,
}
