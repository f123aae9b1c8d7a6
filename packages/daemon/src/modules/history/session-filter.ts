import {
  type API,
  type RouteInput,
  type SessionGroup,
  type SessionStatus,
  type SessionSummary,
  StewardError,
} from '@steward/contract'
import { wordsOf } from './session-texts.ts'

/** Which sessions of the index a list shows. */
export interface SessionFilter {
  limit: number
  before?: { lastMs: number; id: string } | undefined
  host?: string
  project?: string
  q?: string
  statuses?: readonly SessionStatus[]
  group?: SessionGroup | undefined
  /** A session without a row since then is done. */
  quietMs: number
  /** Only sessions that were active after, or not after, this time. */
  activeAfterMs?: number
  inactiveSinceMs?: number
}

/** The group of a session; the value is the time since which it must have been active. */
export const GROUP = `CASE WHEN status = 'ended' OR last_ms <= ? THEN 'done'
  WHEN status IN ('waiting', 'failed') THEN 'needs'
  WHEN status = 'working' THEN 'running' ELSE 'idle' END`

export const groupOf = ({ status }: Pick<SessionSummary, 'status'>): SessionGroup => {
  if (status === 'waiting' || status === 'failed') return 'needs'
  if (status === 'working') return 'running'
  return status === 'idle' ? 'idle' : 'done'
}

/**
 * Left out are programs of an assistant that help a session, which report their end and nothing else,
 * and announcements of a session that runs elsewhere.
 */
export const SHOWN = `NOT (status = 'ended' AND start_source IS NULL AND last_message IS NULL
    AND prompts + tool_calls + failures + subagents = 0)
  AND NOT (host = '' AND prompts + tool_calls + failures + subagents = 0)`

/** The same as a condition on the table of sessions, except for the text. */
export const conditionsOf = (filter: Omit<SessionFilter, 'limit'>) => {
  const { before, host, project, statuses, activeAfterMs, inactiveSinceMs, group } = filter
  const conditions: string[] = [SHOWN]
  const values: Array<string | number> = []
  const add = (condition: string, ...given: Array<string | number>): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (before !== undefined) {
    add('(last_ms < ? OR (last_ms = ? AND id > ?))', before.lastMs, before.lastMs, before.id)
  }
  if (host !== undefined) add('host = ?', host)
  if (project !== undefined) {
    const folder = project.replace(/\/+$/, '')
    // `0` follows `/` in the order of characters.
    add(
      `project IN (SELECT project FROM projects WHERE project = ?
         UNION ALL SELECT project FROM projects WHERE project > ? AND project < ?)`,
      ...[folder, `${folder}/`, `${folder}0`],
    )
  }
  if (statuses !== undefined) {
    add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  }
  if (group !== undefined) {
    add(`${GROUP} = ?`, filter.quietMs, group)
    if (group !== 'done') add('last_ms > ?', filter.quietMs)
  }
  if (activeAfterMs !== undefined) add('last_ms > ?', activeAfterMs)
  if (inactiveSinceMs !== undefined) add('last_ms <= ?', inactiveSinceMs)
  return { where: `WHERE ${conditions.join(' AND ')}`, values }
}

export type SessionQuery = RouteInput<typeof API.listSessions>['query']

export const filterOf = (query: SessionQuery, inactiveMs: number): SessionFilter => {
  const { limit, before, status, group, host, project, q } = query
  const at = before === undefined ? undefined : cursorOf(before)
  return {
    limit,
    quietMs: inactiveMs,
    ...(group === undefined ? {} : { group }),
    ...(at === undefined ? {} : { before: { lastMs: at[0], id: at[1] } }),
    ...(host === undefined ? {} : { host }),
    ...(project === undefined ? {} : { project }),
    ...(q === undefined ? {} : { q }),
    ...(status === undefined
      ? {}
      : status === 'inactive'
        ? { statuses: ['working', 'waiting'], inactiveSinceMs: inactiveMs }
        : {
            statuses: [status],
            ...(status === 'working' || status === 'waiting' ? { activeAfterMs: inactiveMs } : {}),
          }),
  }
}

const cursorOf = (cursor: string): [number, string] => {
  const [, at, rest] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
  if (at === undefined || rest === undefined) {
    throw new StewardError('invalid_input', {
      subject: 'before',
      reason: 'it must be the `next` value of the previous page',
      field: 'before',
    })
  }
  return [Number(at), rest]
}

export const placeOf = (cursor: string | undefined): { atMs: number; row: number } | undefined => {
  if (cursor === undefined) return undefined
  const [atMs, row] = cursorOf(cursor)
  return { atMs, row: Number(row) || 0 }
}

export const fits = (
  session: SessionSummary,
  { status, group, host, project, q }: SessionQuery,
): boolean =>
  (status === undefined || session.status === status) &&
  (group === undefined || groupOf(session) === group) &&
  (host === undefined || session.host === host) &&
  project === undefined &&
  hasWords(session, wordsOf(q ?? ''))

const hasWords = (session: SessionSummary, words: readonly string[]): boolean => {
  const { name, prompt, project, lastMessage } = session
  const texts = [name, prompt, project, lastMessage].map((text) => text?.toLowerCase() ?? '')
  return words.every((word) => texts.some((text) => text.includes(word)))
}

export const byActivity = (one: SessionSummary, other: SessionSummary): number =>
  Date.parse(other.lastActivityAt) - Date.parse(one.lastActivityAt) || (one.id < other.id ? -1 : 1)

export const isAfter = (
  { lastActivityAt, id }: SessionSummary,
  before: SessionFilter['before'],
): boolean => {
  if (before === undefined) return true
  const atMs = Date.parse(lastActivityAt)
  return atMs < before.lastMs || (atMs === before.lastMs && id > before.id)
}
