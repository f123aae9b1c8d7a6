import { z } from 'zod'
import type { Row } from './row.ts'

/** One row of a session's log. */
export interface StoredEvent {
  sessionId: string
  /** 1, 2, 3… without gaps within a session. */
  seq: number
  id: string
  type: string
  /** The event's own fields, without `id`, `type` and `processed_at`. */
  body: Readonly<Record<string, unknown>>
  /** Read only by the brain, such as a model's raw answer; never leaves the server. */
  hidden: Readonly<Record<string, unknown>> | null
  /** Whether clients see it; the brain's internal marks are not listed. */
  listed: boolean
  createdMs: number
  /** `null` while a client's event waits for processing. */
  processedMs: number | null
}

/** An event before it is appended. */
export interface NewEvent {
  type: string
  body?: Readonly<Record<string, unknown>>
  /** Set when clients already know it from a preview; otherwise generated. */
  id?: string
  hidden?: Readonly<Record<string, unknown>>
  /** `false` for the brain's internal marks. */
  listed?: boolean
  /** Stays unprocessed until the brain handles it. */
  queued?: boolean
  /** Deduplicates: an event with the same key in this session is not appended again. */
  dedup?: string
}

const number = z.coerce.number()
const fields = z.record(z.string(), z.unknown())
const json = z.string().transform((text): unknown => JSON.parse(text))
const eventRow = z.object({
  session_id: z.string(),
  seq: number,
  id: z.string(),
  type: z.string(),
  body: json.pipe(fields),
  hidden: json.pipe(fields).nullable(),
  listed: number,
  created_ms: number,
  processed_ms: number.nullable(),
})

export const EVENT_COLUMNS =
  'session_id, seq, id, type, body, hidden, listed, created_ms, processed_ms'

export const toStoredEvent = (row: Row): StoredEvent => {
  const read = eventRow.parse(row)
  return {
    sessionId: read.session_id,
    seq: read.seq,
    id: read.id,
    type: read.type,
    body: read.body,
    hidden: read.hidden,
    listed: read.listed === 1,
    createdMs: read.created_ms,
    processedMs: read.processed_ms,
  }
}

const THREAD_STATUS = 'session.thread_status_'

/**
 * The type of an event for its own log: the status of a thread is that of its log, but on the log of
 * its session it only tells about the thread.
 */
export const ownType = ({
  sessionId,
  type,
  body,
}: Pick<StoredEvent, 'sessionId' | 'type' | 'body'>) =>
  type.startsWith(THREAD_STATUS) && body.session_thread_id === sessionId
    ? `session.status_${type.slice(THREAD_STATUS.length)}`
    : type

/** The event as clients see it. */
export const toWireEvent = (event: StoredEvent): Record<string, unknown> => ({
  id: event.id,
  type: event.type,
  processed_at: event.processedMs === null ? null : new Date(event.processedMs).toISOString(),
  ...event.body,
})
