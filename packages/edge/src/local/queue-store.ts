/** A message on its way in; the body is JSON. */
export interface OutgoingMessage {
  body: unknown
  delaySeconds: number
}

export interface LeasedMessage {
  id: string
  body: unknown
  sentAtMs: number
  /** Which delivery this is, counted from 1. */
  attempts: number
}

/** What becomes of one delivered message. */
export type Settlement =
  | { id: string; outcome: 'ack' }
  | { id: string; outcome: 'retry'; delaySeconds: number }

/** How a queue gives messages up. */
export interface DeliveryRules {
  /** Deliveries after the first. */
  maxRetries: number
  /** Without one a given-up message is dropped, as the platform does. */
  deadLetterQueue: string | undefined
}

export interface QueueBacklog {
  /** Messages that could be delivered now, counted up to the `max` asked for. */
  ready: number
  /** From when on the longest-waiting ready message could be delivered. */
  oldestReadyAtMs: number | undefined
  /** When the next message that is not ready will be. */
  nextDueAtMs: number | undefined
}

export interface SettledCounts {
  acked: number
  retried: number
  deadLettered: number
  dropped: number
}

/**
 * Durable queues, handed in: what `send` acknowledged is on disk, and what was leased by a process
 * that ended is handed out again.
 */
export interface QueueStore {
  /** All or none. */
  send(queue: string, messages: readonly OutgoingMessage[]): Promise<void>
  lease(queue: string, max: number, rules: DeliveryRules): Promise<LeasedMessage[]>
  settle(queue: string, settlements: readonly Settlement[]): Promise<SettledCounts>
  backlog(queue: string, max: number): QueueBacklog
}
