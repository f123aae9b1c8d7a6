import type { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands, HandsSession } from '../hands/hands.ts'
import type { ConnectMcp } from './mcp/mcp.ts'
import type { Model } from './models/model.ts'

/** Runs sessions: finds those with work to do and takes each one as far as it can go. */
export interface Brain {
  /** Looks for work now and whenever something is announced or due. */
  start(): void
  /**
   * Takes one session as far as it can go, from its log alone. Resolves when it is idle, waits for
   * a retry, or belongs to another process.
   */
  wake(sessionId: string): Promise<WakeEnd>
  /** Sessions that this process is working on. */
  active(): readonly string[]
  /**
   * Accepts no more sessions. `drain` lets each finish its current step; `abandon` drops the work
   * in flight, which the next brain then treats as after a crash.
   */
  close(how: 'drain' | 'abandon'): Promise<void>
}

/** How a wake ended. */
export type WakeEnd =
  | 'rests'
  /** The model request will be retried later. */
  | 'waits'
  /** Another process has the lease. */
  | 'taken'
  /** The session was deleted or archived. */
  | 'gone'
  /** This brain is closing. */
  | 'stopped'
  /** An internal error was reported; the session is retried after a delay. */
  | 'failed'

export interface BrainPorts {
  database: HostedDatabase
  model: Model
  /** The model that replaces one that an agent names: the aliases of the settings. */
  replaceModel: (wanted: string) => string
  hands: Hands
  /** Opens what a session's sandbox needs; called at its first tool call. */
  openHands: (sessionId: string) => Promise<HandsSession>
  connectMcp: ConnectMcp
  /** An uploaded file that a message refers to; `undefined` when it does not exist. */
  readFile: (fileId: string) => Promise<BrainFile | undefined>
  now: () => number
  timer: Timer
  /** Reports internal errors; sessions continue. */
  report: (error: StewardError, sessionId?: string) => void
}

export interface BrainFile {
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** Calls back once after a delay; the returned function cancels it. */
export type Timer = (delayMs: number, callback: () => void) => () => void

export interface BrainOptions {
  /** Identifies this process in leases; unique among processes that share the database. */
  owner: string
  /** Maximum number of concurrent sessions. */
  sessions?: number
  /** A brain that does not renew for this long is considered dead. */
  leaseMs?: number
  /** How often to look for sessions that are due without an announcement. */
  pollMs?: number
  limits?: Partial<BrainLimits>
}

export interface BrainLimits {
  /** An outage that lasts longer than this ends the turn. */
  outageMs: number
  /** A turn fails after this many consecutive answers that cannot be used. */
  retries: number
  /** The first delay; it doubles with each retry unless the vendor says how long to wait. */
  retryFirstMs: number
  retryMostMs: number
  /** Maximum number of tool calls per turn. */
  toolUses: number
  /** Overrides the known context window of the model. */
  contextTokens: number | null
}
