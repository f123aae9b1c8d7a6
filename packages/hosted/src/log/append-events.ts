import { StewardError } from '@steward/contract'
import { createRedactor } from '@steward/platform'
import { z } from 'zod'
import type { Value } from '../database/row.ts'
import {
  EVENT_COLUMNS,
  type NewEvent,
  type StoredEvent,
  toStoredEvent,
} from '../database/stored-event.ts'
import { announce, execute, one, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { listNotable, noteEvents } from '../webhooks/note-events.ts'
import { WEBHOOKS } from '../webhooks/tell-webhooks.ts'
import { type Lease, leaseLost } from './lease.ts'
import { foldEvent, type SessionSummary, sessionSummary } from './summary.ts'

export interface AppendOptions {
  nowMs: number
  /** The brain's permission to write; clients append without one. */
  lease?: Lease
  /** The events give the session work to do. */
  wakes?: boolean
}

const headRow = z.object({
  last_seq: z.coerce.number(),
  lease_epoch: z.coerce.number(),
  summary: z.string().transform((text) => sessionSummary.parse(JSON.parse(text))),
})

/** The end of a session's log, locked by this transaction. */
export interface LogHead {
  lastSeq: number
  leaseEpoch: number
  summary: SessionSummary
}

/**
 * Appends in order, all or nothing, and updates the session's summary. An event with a known
 * `dedup` key is not appended again: the first one is returned instead.
 */
export function* appendEvents(
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Tx<readonly StoredEvent[]> {
  const row = yield* one(
    'SELECT last_seq, lease_epoch, summary FROM sessions WHERE id = $1 FOR UPDATE',
    sessionId,
  )
  if (row === undefined)
    throw new StewardError('hosted_not_found', { kind: 'session', id: sessionId })
  const { last_seq: lastSeq, lease_epoch: leaseEpoch, summary } = headRow.parse(row)
  const { stored } = yield* appendAfter(
    sessionId,
    { lastSeq, leaseEpoch, summary },
    events,
    options,
  )
  return stored
}

/** The same after a head that was read and locked before; also returns the new end of the log. */
export function* appendAfter(
  sessionId: string,
  head: LogHead,
  events: readonly NewEvent[],
  options: AppendOptions,
): Tx<{ stored: readonly StoredEvent[]; head: LogHead }> {
  const { lease, nowMs } = options
  if (lease !== undefined && lease.epoch !== head.leaseEpoch) throw leaseLost(sessionId)

  const stored: StoredEvent[] = []
  const fresh: FreshEvent[] = []
  let { summary, lastSeq: seq } = head
  for (const event of events) {
    const known =
      event.dedup === undefined ? undefined : yield* findByKey(sessionId, event.dedup, fresh)
    if (known !== undefined) {
      stored.push(known)
      continue
    }
    seq += 1
    const added = toStored(sessionId, seq, event, nowMs)
    fresh.push({ event: added, dedup: event.dedup ?? null })
    summary = foldEvent(summary, added)
    stored.push(added)
  }
  if (fresh.length === 0) return { stored, head }
  yield* insertEvents(fresh)
  const added = fresh.map(({ event }) => event)
  const notable = listNotable(added)
  const written = { sessionId, seq, summary }
  // Most servers have no webhooks, so messages are created only if there is one.
  if (notable.length === 0) yield* writeHead(written, options)
  else if (yield* writeHeadAndFindWebhooks(written, options)) yield* noteEvents(notable)
  yield* announce({ sessionId, news: { type: 'appended', seq, events: added } })
  return { stored, head: { ...head, lastSeq: seq, summary } }
}

interface FreshEvent {
  event: StoredEvent
  dedup: string | null
}

function* findByKey(
  sessionId: string,
  dedup: string,
  fresh: readonly FreshEvent[],
): Tx<StoredEvent | undefined> {
  const same = fresh.find((one) => one.dedup === dedup)
  if (same !== undefined) return same.event
  const row = yield* one(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = $1 AND dedup = $2`,
    sessionId,
    dedup,
  )
  return row === undefined ? undefined : toStoredEvent(row)
}

/**
 * Rows per statement: more rows save round trips, and a small maximum limits the number of prepared
 * statements.
 */
const MOST_ROWS = 16

function* insertEvents(fresh: readonly FreshEvent[]): Tx<void> {
  for (let start = 0; start < fresh.length; start += MOST_ROWS) {
    const rows = fresh.slice(start, start + MOST_ROWS).map(toValues)
    yield* execute(insertText(rows), ...rows.flat())
  }
}

/** By the number of rows. */
const insertTexts = new Map<number, string>()

const insertText = (rows: readonly (readonly Value[])[]): string => {
  const known = insertTexts.get(rows.length)
  if (known !== undefined) return known
  let place = 0
  const places = rows.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`).join(', ')
  const made = `INSERT INTO events (${EVENT_COLUMNS}, dedup) VALUES ${places}`
  insertTexts.set(rows.length, made)
  return made
}

const toValues = ({ event, dedup }: FreshEvent): readonly Value[] => [
  event.sessionId,
  event.seq,
  event.id,
  event.type,
  JSON.stringify(event.body),
  event.hidden === null ? null : JSON.stringify(event.hidden),
  event.listed ? 1 : 0,
  event.createdMs,
  event.processedMs,
  dedup,
]

interface WrittenHead {
  sessionId: string
  seq: number
  summary: SessionSummary
}

const WRITE_HEAD = `UPDATE sessions SET last_seq = $2, summary = $3, status = $4, updated_ms = $5,
    awake = CASE WHEN $6 = 1 THEN 1 ELSE awake END, wake_ms = CASE WHEN $6 = 1 THEN NULL ELSE wake_ms END
  WHERE id = $1`

const headValues = (
  { sessionId, seq, summary }: WrittenHead,
  { nowMs, wakes = false }: AppendOptions,
): Value[] => [sessionId, seq, JSON.stringify(summary), summary.status, nowMs, wakes ? 1 : 0]

function* writeHead(head: WrittenHead, options: AppendOptions): Tx<void> {
  yield* execute(WRITE_HEAD, ...headValues(head, options))
}

/** Also returns whether the server has webhooks. */
function* writeHeadAndFindWebhooks(head: WrittenHead, options: AppendOptions): Tx<boolean> {
  const row = yield* one(
    `${WRITE_HEAD} RETURNING ${WEBHOOKS} AS webhooks`,
    ...headValues(head, options),
  )
  return Number(row?.webhooks) > 0
}

const { redactFields } = createRedactor({})

/** Errors quote what servers and programs printed, and clients copy them into their logs. */
const bodyOf = ({ type, body = {} }: NewEvent): StoredEvent['body'] =>
  type === 'session.error' ? redactFields(body).value : body

const toStored = (sessionId: string, seq: number, event: NewEvent, nowMs: number): StoredEvent => ({
  sessionId,
  seq,
  id: event.id ?? createId('sevt'),
  type: event.type,
  body: bodyOf(event),
  hidden: event.hidden ?? null,
  listed: event.listed ?? true,
  createdMs: nowMs,
  processedMs: event.queued === true ? null : nowMs,
})

/** Marks events as processed: their content is on its way to the model. */
export function* markProcessed(lease: Lease, ids: readonly string[], nowMs: number): Tx<void> {
  if (ids.length === 0) return
  const places = ids.map((_, index) => `$${index + 3}`).join(', ')
  yield* execute(
    `UPDATE events SET processed_ms = $2
     WHERE session_id = $1 AND id IN (${places}) AND processed_ms IS NULL`,
    lease.sessionId,
    nowMs,
    ...ids,
  )
}
