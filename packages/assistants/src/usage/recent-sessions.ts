import { join } from 'node:path'
import { type Row, readOther } from '@steward/platform'
import { isSince, NANO } from './usage-sums.ts'

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

const CALLS = `SELECT * FROM calls
  WHERE ${isSince('?1')} AND at_ms > ?1 AND assistant NOT IN ('runs', 'observers') ORDER BY at_ms, model, output`

/** Sessions with calls after this time; runs and observers have records of their own. */
export const readRecentSessions = (directory: string, afterMs: number): SessionActivity[] =>
  readOther(join(directory, 'usage.sqlite'), 'calls', (database) => {
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
