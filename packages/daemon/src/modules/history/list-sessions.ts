import type { Database, Row } from '@steward/platform'
import { conditionsOf, GROUP, type SessionFilter } from './session-filter.ts'
import { type Condition, searchTexts, wordsOf } from './session-texts.ts'

/** Where a list continues. */
interface SessionPlace {
  lastMs: number
  id: string
}

export interface FoundRows {
  /** The last active first. */
  rows: Row[]
  /** Set if the search stopped here, before the end of the history. */
  stoppedAt: SessionPlace | undefined
}

export interface SessionCounts {
  total: number
  /** How many sessions each group has, whichever group the filter wants. */
  groups: ReadonlyMap<string, number>
  /** True if more may fit than were counted. */
  isAtLeast: boolean
}

/** Counting stops here, because the time of an answer must not grow with the history. */
const MOST_COUNTED = 500
/** Sessions that one request compares with a text that very many have. */
const MOST_COMPARED = 2000

const LATEST = 'ORDER BY last_ms DESC, id LIMIT ?'

type Search = ReturnType<typeof searchTexts> | undefined

export const listSessions = (
  database: Database,
  filter: SessionFilter,
): FoundRows & SessionCounts => {
  const { q, limit } = filter
  const words = wordsOf(q ?? '')
  const search = words.length === 0 ? undefined : searchTexts(database, words, MOST_COUNTED)
  const counts = countSessions(database, filter, search)
  if (search?.isCommon) return { ...compareSessions(database, filter, search), ...counts }
  const { sql, values } = chosen(filter, search)
  const rows = readSessions(database, {
    sql: `SELECT number FROM sessions ${sql} ${LATEST}`,
    values: [...values, limit],
  })
  return { rows, stoppedAt: undefined, ...counts }
}

/** The sessions of a list without filters. */
export const countAll = (database: Database): number =>
  Number(database.statement('SELECT shown FROM totals').get()?.shown)

const chosen = (
  filter: Omit<SessionFilter, 'limit'>,
  ...more: ReadonlyArray<Condition | undefined>
): Condition => {
  const { where, values } = conditionsOf(filter)
  const all = more.filter((each) => each !== undefined)
  return {
    sql: [where, ...all.map(({ sql }) => sql)].join(' AND '),
    values: [...values, ...all.flatMap((each) => each.values)],
  }
}

/** An index alone chooses; only the sessions that are shown are read. */
const readSessions = (database: Database, { sql, values }: Condition): Row[] =>
  database
    .statement(`SELECT * FROM sessions WHERE number IN (${sql}) ORDER BY last_ms DESC, id`)
    .all(...values)

/** Many sessions have the text, so the last active ones are compared until enough are found. */
const compareSessions = (
  database: Database,
  filter: SessionFilter,
  search: Condition,
): FoundRows => {
  const { sql, values } = chosen(filter)
  const rows = readSessions(database, {
    sql: `SELECT number FROM (
        SELECT number, name, prompt, project, last_message FROM sessions ${sql} ${LATEST}
      ) WHERE ${search.sql} LIMIT ?`,
    values: [...values, MOST_COMPARED, ...search.values, filter.limit],
  })
  if (rows.length === filter.limit) return { rows, stoppedAt: undefined }
  const last = database
    .statement(`SELECT last_ms, id FROM sessions ${sql} ${LATEST} OFFSET ?`)
    .get(...values, 1, MOST_COMPARED - 1)
  const stoppedAt =
    last === undefined ? undefined : { lastMs: Number(last.last_ms), id: String(last.id) }
  return { rows, stoppedAt }
}

const countSessions = (
  database: Database,
  filter: SessionFilter,
  search: Search,
): SessionCounts => {
  const wanted = { ...filter, before: undefined, group: undefined }
  const { count, isAtLeast } = countFitting(database, wanted, search)
  const groups = countOpen(database, wanted, search)
  // All others are done, and there may be very many of them.
  const open = groups.values().reduce((sum, n) => sum + n, 0)
  groups.set('done', Math.max(0, count - open))
  const total = filter.group === undefined ? count : (groups.get(filter.group) ?? 0)
  const isExact = filter.group !== undefined && filter.group !== 'done'
  return { total, groups, isAtLeast: isAtLeast && !isExact }
}

interface Count {
  count: number
  isAtLeast: boolean
}

const countFitting = (database: Database, filter: SessionFilter, search: Search): Count => {
  const { host, project, statuses } = filter
  const isFiltered = [host, project, statuses].some((each) => each !== undefined)
  if (!isFiltered && search === undefined) return { count: countAll(database), isAtLeast: false }
  if (!isFiltered && search?.isCommon) return { count: MOST_COUNTED, isAtLeast: true }
  if (search?.isCommon) {
    const most = { ...filter, limit: MOST_COUNTED + 1 }
    const { rows, stoppedAt } = compareSessions(database, most, search)
    const { count, isAtLeast } = bounded(rows.length)
    return { count, isAtLeast: isAtLeast || stoppedAt !== undefined }
  }
  const { sql, values } = chosen(filter, search)
  const found = database
    .statement(`SELECT count(*) AS n FROM (SELECT 1 FROM sessions ${sql} LIMIT ?)`)
    .get(...values, MOST_COUNTED + 1)
  return bounded(Number(found?.n))
}

const bounded = (count: number): Count => ({
  count: Math.min(count, MOST_COUNTED),
  isAtLeast: count > MOST_COUNTED,
})

/** Sessions that are not done, by group: few, because they were active lately. */
const countOpen = (
  database: Database,
  filter: SessionFilter,
  search: Search,
): Map<string, number> => {
  const { quietMs } = filter
  const { sql, values } = chosen(filter, search, { sql: 'last_ms > ?', values: [quietMs] })
  const rows = database
    .statement(`SELECT ${GROUP} AS standing, count(*) AS n FROM sessions ${sql} GROUP BY standing`)
    .all(quietMs, ...values)
  const groups = new Map(rows.map(({ standing, n }) => [String(standing), Number(n)]))
  groups.delete('done')
  return groups
}
