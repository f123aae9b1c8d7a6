import type { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands, HandsSession } from '../hands/hands.ts'
import type { ConnectMcp } from './mcp/mcp.ts'
import type { Model } from './models/model.ts'

/** What runs sessions: finds those with something to do and takes each one as far as it goes. */
export interface Brain {
  /** Looks for work now and whenever something is announced or due. */
  start(): void
  /**
   * Takes one session as far as it goes from its log alone. Resolves when it rests, waits for a
   * retry, or is somebody else's.
   */
  wake(sessionId: string): Promise<WakeEnd>
  /** Sessions that are being worked on by this process. */
  active(): readonly string[]
  /**
   * Takes up no more sessions. `drain` lets each come to its next step; `abandon` drops what is in
   * flight, which the next brain then treats as it would after a crash.
   */
  close(how: 'drain' | 'abandon'): Promise<void>
}

/** How a wake ended. */
export type WakeEnd =
  | 'rests'
  /** A model is asked again later. */
  | 'waits'
  /** Another process has the lease. */
  | 'taken'
  /** The session is gone or archived. */
  | 'gone'
  /** This brain is closing. */
  | 'stopped'
  /** Something of ours failed and was reported; the session is due again after a while. */
  | 'failed'

export interface BrainPorts {
  database: HostedDatabase
  model: Model
  hands: Hands
  /** What the sandbox of a session has to know, read when its first tool call comes. */
  openHands: (sessionId: string) => Promise<HandsSession>
  connectMcp: ConnectMcp
  /** An uploaded file that a message names; `undefined` when there is none. */
  readFile: (fileId: string) => Promise<BrainFile | undefined>
  now: () => number
  timer: Timer
  /** What went wrong on our side; sessions go on. */
  report: (error: StewardError, sessionId?: string) => void
}

export interface BrainFile {
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** Calls back once after a while; the answer takes that back. */
export type Timer = (delayMs: number, callback: () => void) => () => void

export interface BrainOptions {
  /** Names this process in leases; unique among those that share the database. */
  owner: string
  /** Sessions at once. */
  sessions?: number
  /** A brain that is silent for so long is taken for dead. */
  leaseMs?: number
  /** How often to look for sessions that are due without anything announced. */
  pollMs?: number
  limits?: Partial<BrainLimits>
}

export interface BrainLimits {
  /** Failures of the model in a row after which a turn is given up. */
  retries: number
  /** The first wait; each later one is twice the one before, unless the vendor says how long. */
  retryFirstMs: number
  retryMostMs: number
  /** Tool calls in one turn. */
  toolUses: number
  /** Overrides what is known of the model's window. */
  contextTokens: number | null
}
