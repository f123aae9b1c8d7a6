import { stopReason, type WaitingCall } from '@steward/contract'
import { z } from 'zod'
import { createWhere } from '../api/where.ts'
import { EVENT_COLUMNS, type StoredEvent, toStoredEvent } from '../database/stored-event.ts'
import { query, type Tx } from '../database/tx.ts'
import type { StoredSession } from '../log/stored-session.ts'

const call = z.object({
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  evaluated_permission: z.string().optional(),
})

/** The calls a session waits for, without those that are answered but not processed yet. */
export function* findWaiting({
  id,
  summary,
  archivedMs,
}: StoredSession): Tx<readonly WaitingCall[]> {
  if (summary.status !== 'idle' || archivedMs !== null) return []
  const reason = stopReason.safeParse(summary.stopReason).data
  if (reason?.type !== 'requires_action' || reason.event_ids.length === 0) return []
  const answered = yield* findAnswered(id, reason.event_ids)
  const open = reason.event_ids.filter((eventId) => !answered.has(eventId))
  if (open.length === 0) return []
  const where = createWhere()
  where.add('session_id = ?', id)
  where.add(`id IN (${open.map(() => '?').join(', ')})`, ...open)
  const rows = yield* query(
    `SELECT ${EVENT_COLUMNS} FROM events ${where.text} ORDER BY seq`,
    ...where.values,
  )
  return rows.flatMap((row) => toWaitingCall(toStoredEvent(row)) ?? [])
}

/** Answers are found by their deduplication keys, which are unique. */
function* findAnswered(sessionId: string, ids: readonly string[]): Tx<ReadonlySet<string>> {
  const keys = ids.flatMap((id) => [`confirmation:${id}`, `result:${id}`])
  const where = createWhere()
  where.add('session_id = ?', sessionId)
  where.add(`dedup IN (${keys.map(() => '?').join(', ')})`, ...keys)
  const rows = yield* query(`SELECT dedup FROM events ${where.text}`, ...where.values)
  return new Set(rows.map(({ dedup }) => String(dedup).replace(/^\w+:/, '')))
}

const toWaitingCall = ({ id, type, body, createdMs }: StoredEvent): WaitingCall | undefined => {
  const { data } = call.safeParse(body)
  if (data === undefined) return undefined
  return {
    id,
    tool: data.name,
    input: data.input,
    at: new Date(createdMs).toISOString(),
    needs: needsOf(type, data.evaluated_permission),
  }
}

const needsOf = (type: string, permission: string | undefined): WaitingCall['needs'] => {
  if (type === 'agent.custom_tool_use') return 'result'
  return permission === 'ask' ? 'permission' : 'worker'
}
