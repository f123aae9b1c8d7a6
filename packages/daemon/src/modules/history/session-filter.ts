import {
  type API,
  type RouteInput,
  type SessionStatus,
  type SessionSummary,
  StewardError,
} from '@steward/contract'

/** Which sessions of the index a list shows. */
export interface SessionFilter {
  limit: number
  before?: { lastMs: number; id: string }
  host?: string
  project?: string
  q?: string
  statuses?: readonly SessionStatus[]
  /** Only sessions that were active after, or not after, this time. */
  activeAfterMs?: number
  inactiveSinceMs?: number
}

/** The same as a condition on the table of sessions. */
export const conditionsOf = (filter: SessionFilter) => {
  const { before, host, project, q, statuses, activeAfterMs, inactiveSinceMs } = filter
  // Programs of an assistant that help a session report their end, and nothing else.
  const conditions: string[] = [
    `NOT (status = 'ended' AND start_source IS NULL AND last_message IS NULL
       AND prompts + tool_calls + failures + subagents = 0)`,
  ]
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
    add('(project = ? OR substr(project, 1, ?) = ?)', folder, folder.length + 1, `${folder}/`)
  }
  if (q !== undefined) {
    const text = q.toLowerCase()
    add(
      `(instr(lower(name), ?) OR instr(lower(coalesce(project, '')), ?)
        OR instr(lower(coalesce(last_message, '')), ?))`,
      ...[text, text, text],
    )
  }
  if (statuses !== undefined) {
    add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  }
  if (activeAfterMs !== undefined) add('last_ms > ?', activeAfterMs)
  if (inactiveSinceMs !== undefined) add('last_ms <= ?', inactiveSinceMs)
  return { where: `WHERE ${conditions.join(' AND ')}`, values }
}

export type SessionQuery = RouteInput<typeof API.listSessions>['query']

export const filterOf = (query: SessionQuery, inactiveMs: number): SessionFilter => {
  const { limit, before, status, host, project, q } = query
  const at = before === undefined ? undefined : cursorOf(before)
  return {
    limit,
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
  { status, host, project, q }: SessionQuery,
): boolean =>
  (status === undefined || session.status === status) &&
  (host === undefined || session.host === host) &&
  project === undefined &&
  (q === undefined || session.name.toLowerCase().includes(q.toLowerCase()))

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
