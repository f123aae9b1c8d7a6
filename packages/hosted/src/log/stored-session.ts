import { z } from 'zod'
import type { Row } from '../database/row.ts'
import { execute, one, query, type Tx } from '../database/tx.ts'
import { type SessionBody, sessionBody } from './session-body.ts'
import { type SessionSummary, sessionSummary } from './summary.ts'

/** One row of `sessions`: a session, or a thread that its coordinator began. */
export interface StoredSession {
  id: string
  /** The session of a thread; null for a session itself. */
  parentId: string | null
  environmentId: string
  deploymentId: string | null
  body: SessionBody
  summary: SessionSummary
  lastSeq: number
  leaseEpoch: number
  createdMs: number
  updatedMs: number
  archivedMs: number | null
}

/** Parsed bodies by their texts, because a session is read far more often than its body changes. */
const bodies = new Map<string, SessionBody>()
const MOST_BODIES = 1000
/** Longer texts are not kept, which limits the memory. */
const MOST_TEXT_UNITS = 8192

const parseBody = (text: string): SessionBody => {
  const known = bodies.get(text)
  if (known !== undefined) return known
  const parsed = freeze(sessionBody.parse(JSON.parse(text)))
  if (text.length > MOST_TEXT_UNITS) return parsed
  if (bodies.size >= MOST_BODIES) bodies.clear()
  bodies.set(text, parsed)
  return parsed
}

/** Several readers share a parsed body, so none of them may change it. */
const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}

const json = z.string().transform((text): unknown => JSON.parse(text))
const number = z.coerce.number()
const sessionRow = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  environment_id: z.string(),
  deployment_id: z.string().nullable(),
  body: z.string().transform(parseBody),
  summary: json.pipe(sessionSummary),
  last_seq: number,
  lease_epoch: number,
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})

export const SESSION_COLUMNS =
  'id, parent_id, environment_id, deployment_id, body, summary, last_seq, lease_epoch, created_ms, updated_ms, archived_ms'

export const toStoredSession = (row: Row): StoredSession => {
  const read = sessionRow.parse(row)
  return {
    id: read.id,
    parentId: read.parent_id,
    environmentId: read.environment_id,
    deploymentId: read.deployment_id,
    body: read.body,
    summary: read.summary,
    lastSeq: read.last_seq,
    leaseEpoch: read.lease_epoch,
    createdMs: read.created_ms,
    updatedMs: read.updated_ms,
    archivedMs: read.archived_ms,
  }
}

/** The session; `hold` locks it until the transaction ends. */
export function* findSession(
  id: string,
  hold: 'hold' | 'look' = 'look',
): Tx<StoredSession | undefined> {
  const row = yield* one(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    id,
  )
  return row === undefined ? undefined : toStoredSession(row)
}

/** The session that a row belongs to, and whose sandbox, files and budget it shares. */
export const rootOf = ({ id, parentId }: Pick<StoredSession, 'id' | 'parentId'>): string =>
  parentId ?? id

/** Whether a row is a thread that a coordinator began: its id is that of the thread. */
export const isThreadId = (id: string): boolean => id.startsWith('sthr_')

/** The threads that a session's coordinator began, the oldest first. */
export function* listChildren(sessionId: string): Tx<readonly StoredSession[]> {
  const rows = yield* query(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE parent_id = $1 ORDER BY created_ms, id`,
    sessionId,
  )
  return rows.map(toStoredSession)
}

/** Writes the session's body; the caller must have locked the session. */
export function* writeSessionBody(id: string, body: SessionBody, nowMs: number): Tx<void> {
  yield* execute(
    'UPDATE sessions SET body = $2, updated_ms = $3 WHERE id = $1',
    id,
    JSON.stringify(body),
    nowMs,
  )
}
