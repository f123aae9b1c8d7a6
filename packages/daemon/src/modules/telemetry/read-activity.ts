import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { type Home, openForeignDatabase } from '@steward/platform'

/** A model call; assistants do not record how long it took. */
export interface CallActivity {
  id: string
  subagent: string | undefined
  model: string
  atMs: number
  /** With the tokens of the prompt cache. */
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number | undefined
}

/** A stretch of work in a session of an assistant or a hosted agent. */
export interface SessionActivity {
  assistant: string
  session: string
  project: string | undefined
  calls: CallActivity[]
}

interface StepActivity {
  index: number
  action: string
  startedMs: number
  endedMs: number
  error: ActivityError | undefined
  calls: CallActivity[]
}

export interface RunActivity {
  id: string
  /** The run that began it all; itself if none. */
  rootId: string
  parentId: string | undefined
  primitive: string
  name: string
  status: string
  startedMs: number
  endedMs: number
  error: ActivityError | undefined
  steps: StepActivity[]
}

export interface ActivityError {
  code: string
  message: string
}

type Row = Record<string, unknown>
const NANO = 1_000_000_000
const MOST_RUNS = 200

/** Reads a database of another module, if there is one with this table. */
const readFrom = <T>(
  path: string,
  table: string,
  read: (database: ReturnType<typeof openForeignDatabase>) => T[],
): T[] => {
  if (!existsSync(path)) return []
  const database = openForeignDatabase(path)
  try {
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    return found === undefined ? [] : read(database)
  } finally {
    database.close()
  }
}

const RUNS = `WITH RECURSIVE ended AS (
    SELECT id, parent_id, primitive, name, status, filtered, started_at, ended_at, error FROM runs
    WHERE ended_at > ? ORDER BY ended_at LIMIT ${MOST_RUNS}),
  above (id, root) AS (
    SELECT id, id FROM ended
    UNION ALL
    SELECT above.id, runs.parent_id FROM above JOIN runs ON runs.id = above.root
    WHERE runs.parent_id IS NOT NULL)
  SELECT ended.*, (SELECT root FROM above LEFT JOIN runs ON runs.id = above.root
    WHERE above.id = ended.id AND runs.parent_id IS NULL LIMIT 1) AS root
  FROM ended ORDER BY ended_at`

/** Runs that ended after this time, the earliest first; the next read continues after the last. */
export const readRuns = (home: Pick<Home, 'databases'>, afterMs: number): RunActivity[] =>
  readFrom(join(home.databases, 'history.sqlite'), 'runs', (database) => {
    const steps = database.prepare(
      'SELECT idx, action, started_at, ended_at, error FROM steps WHERE run_id = ? AND idx >= 0 ORDER BY idx',
    )
    const calls = database.prepare(
      'SELECT seq, step, at, model, input_tokens, output_tokens, cost FROM model_calls WHERE run_id = ? ORDER BY seq',
    )
    return database
      .prepare(RUNS)
      .all(afterMs)
      .map((row) => {
        const id = String(row.id)
        const endedMs = Number(row.ended_at)
        const made = calls.all(id)
        return {
          id,
          rootId: textOf(row.root) ?? id,
          parentId: textOf(row.parent_id),
          primitive: String(row.primitive),
          name: String(row.name),
          status: row.filtered === null ? String(row.status) : 'filtered',
          startedMs: Number(row.started_at),
          endedMs,
          error: errorOf(row.error),
          steps: steps.all(id).map((step) => ({
            index: Number(step.idx),
            action: String(step.action),
            startedMs: Number(step.started_at),
            endedMs: Number(step.ended_at ?? endedMs),
            error: errorOf(step.error),
            calls: made.filter((call) => call.step === step.idx).map(runCallOf),
          })),
        }
      })
  })

const runCallOf = (row: Row): CallActivity => ({
  id: String(row.seq),
  subagent: undefined,
  model: String(row.model),
  atMs: Number(row.at),
  input: Number(row.input_tokens),
  output: Number(row.output_tokens),
  cacheRead: 0,
  cacheWrite: 0,
  costUsd: typeof row.cost === 'number' ? row.cost : undefined,
})

const CALLS = `SELECT * FROM calls
  WHERE at_ms > ?1 AND assistant NOT IN ('runs', 'observers') ORDER BY at_ms, model, output`

/** Sessions with calls after this time; runs and observers have records of their own. */
export const readSessions = (home: Pick<Home, 'databases'>, afterMs: number): SessionActivity[] =>
  readFrom(join(home.databases, 'usage.sqlite'), 'calls', (database) => {
    const sessions = new Map<string, SessionActivity>()
    for (const row of database.prepare(CALLS).all(afterMs)) {
      const assistant = String(row.assistant)
      const session = String(row.session)
      const key = `${assistant} ${session}`
      const found = sessions.get(key) ?? {
        assistant,
        session,
        project: textOf(row.project),
        calls: [],
      }
      found.calls.push(callOf(row, found.calls.length))
      sessions.set(key, found)
    }
    return [...sessions.values()]
  })

const callOf = (row: Row, ordinal: number): CallActivity => {
  const cacheRead = Number(row.cache_read)
  const cacheWrite = Number(row.cache_write_5m) + Number(row.cache_write_1h)
  const nano = row.reported_nano ?? row.computed_nano
  return {
    id: `${String(row.at_ms)} ${ordinal}`,
    subagent: textOf(row.subagent),
    model: String(row.model),
    atMs: Number(row.at_ms),
    input: Number(row.input) + cacheRead + cacheWrite,
    output: Number(row.output),
    cacheRead,
    cacheWrite,
    costUsd: typeof nano === 'number' ? nano / NANO : undefined,
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const errorOf = (value: unknown): ActivityError | undefined => {
  if (typeof value !== 'string') return undefined
  const parsed: unknown = JSON.parse(value)
  if (!isJsonObject(parsed)) return undefined
  return { code: String(parsed.code), message: String(parsed.message) }
}
