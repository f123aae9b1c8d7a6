import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { readOther } from '@steward/platform'

interface EndedCall {
  id: string
  subagent: undefined
  model: string
  atMs: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number | undefined
}

/** A run that is over, without its input and output. */
interface EndedRun {
  id: string
  /** The run that began it all; itself if none. */
  rootId: string
  parentId: string | undefined
  primitive: string
  name: string
  status: string
  startedMs: number
  endedMs: number
  error: { code: string; message: string } | undefined
  steps: Array<{
    index: number
    action: string
    startedMs: number
    endedMs: number
    error: EndedRun['error']
    calls: EndedCall[]
  }>
}

const MOST_RUNS = 200

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
export const readEndedRuns = (directory: string, afterMs: number): EndedRun[] =>
  readOther(join(directory, 'history.sqlite'), 'runs', (database) => {
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
            calls: made.filter((call) => call.step === step.idx).map(callOf),
          })),
        }
      })
  })

const callOf = (row: JsonObject): EndedCall => ({
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

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const errorOf = (value: unknown): EndedRun['error'] => {
  if (typeof value !== 'string') return undefined
  const parsed: unknown = JSON.parse(value)
  if (!isJsonObject(parsed)) return undefined
  return { code: String(parsed.code), message: String(parsed.message) }
}
