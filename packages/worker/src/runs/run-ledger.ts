import {
  type JsonObject,
  parseJson,
  RUN_STATUSES,
  type RunDetail,
  type RunRecord,
  type RunStatus,
  runDetail,
  runRecord,
  StewardError,
  unwrap,
} from '@steward/contract'
import { z } from 'zod'
import { seekD1 } from '../bindings.ts'
import type { WorkerEnv } from '../env.ts'
import { createQueries } from '../queries.ts'
import { redactorOf } from '../redact.ts'

const TABLE = [
  `CREATE TABLE IF NOT EXISTS edge_runs (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, started_ms INTEGER NOT NULL,
     summary TEXT NOT NULL, detail TEXT,
     idempotency_key TEXT, input_hash TEXT, answer_status INTEGER, answer TEXT
   ) STRICT`,
  `CREATE UNIQUE INDEX IF NOT EXISTS edge_runs_by_key ON edge_runs (name, idempotency_key)
     WHERE idempotency_key IS NOT NULL`,
  'CREATE INDEX IF NOT EXISTS edge_runs_by_start ON edge_runs (started_ms)',
]

/** D1 stores values of up to 2 MB. */
const LONGEST_VALUE = 1_000_000
/** How long runs and idempotency keys are kept. */
const KEPT_MS = 30 * 86_400_000
/** The maximum lifetime of an invocation: an older one was killed silently. */
const LIFETIME_MS = 15 * 60_000

type Details = Pick<RunDetail, 'input' | 'output' | 'steps'>

/** An answer that was already given for a key, or the state of the run that has it. */
export interface KeyedRun {
  id: string
  inputHash: string
  status: RunStatus
  answer: { status: number; body: string | null } | undefined
}

/** The runs of the account's workers, in the D1 database that also holds the items of flows. */
export interface RunLedger {
  /** Undefined if the key is new: from now on it belongs to this run. */
  claim: (run: RunRecord, key: string, inputHash: string) => Promise<KeyedRun | undefined>
  /** Keeps the answer of a claimed run, for calls that repeat its key. */
  keepAnswer: (id: string, answer: { status: number; body: string }) => Promise<void>
  /** Nothing ran, so that the key can be used again. */
  release: (id: string) => Promise<void>
  record: (run: RunRecord, details: Details) => Promise<void>
  /** Latest first. */
  list: (choice: RunChoice) => Promise<RunRecord[]>
  /** By its id, the end or the beginning of its id, or `last`. */
  find: (reference: string) => Promise<RunDetail>
}

interface RunChoice {
  limit: number
  before?: string | undefined
  name?: string | undefined
  status?: RunStatus | undefined
}

/** Undefined in a worker without the database. */
export const openRunLedger = (env: WorkerEnv, now: () => number): RunLedger | undefined => {
  const database = seekD1(env, 'ITEMS_DB')
  if (database === undefined) return undefined
  const { query, write } = createQueries(database, TABLE)
  /** JSON to store; null if it contains a secret or is too long. */
  const encode = (value: JsonObject): string | null => {
    const { value: clean, found } = redactorOf(env).known.redactFields(value)
    const text = found.length > 0 ? '' : JSON.stringify(clean)
    return text === '' || text.length > LONGEST_VALUE ? null : text
  }
  const settle = (run: RunRecord): RunRecord =>
    run.status === 'running' && now() - Date.parse(run.startedAt) > LIFETIME_MS
      ? { ...run, status: 'interrupted' }
      : run
  /** All its texts are ours, except for the message of an error. */
  const cleanSummary = (run: RunRecord): string =>
    JSON.stringify(run.error === null ? run : redactorOf(env).redactFields({ ...run }).value)
  return {
    claim: async (run, key, inputHash) => {
      const [made] = await query(CLAIM, [
        run.id,
        run.name,
        run.status,
        Date.parse(run.startedAt),
        cleanSummary(run),
        key,
        inputHash,
      ])
      if (made !== undefined) return undefined
      const [found] = await query(KEYED, [run.name, key])
      const { id, summary, input_hash, answer_status, answer } = keyedRow.parse(found)
      const { status } = settle(readSummary(summary))
      return {
        id,
        inputHash: input_hash,
        status,
        answer: answer_status === null ? undefined : { status: answer_status, body: answer },
      }
    },
    keepAnswer: async (id, { status, body }) => {
      const { found } = redactorOf(env).known.redactText(body)
      const kept = found.length > 0 || body.length > LONGEST_VALUE ? null : body
      const ended = status >= 400 ? 'failed' : 'completed'
      // A flow that was started goes on after its answer.
      if (status === 202) await query(STARTED, [id, status, kept])
      else await query(ANSWERED, [id, status, kept, ended, new Date(now()).toISOString()])
    },
    release: async (id) => {
      await query('DELETE FROM edge_runs WHERE id = ?1', [id])
    },
    record: async (run, details) => {
      const detail = encode({ ...details }) ?? encode({ steps: details.steps.map(withoutValues) })
      const startedMs = Date.parse(run.startedAt)
      const values = [run.id, run.name, run.status, startedMs, cleanSummary(run), detail]
      const prune = ['DELETE FROM edge_runs WHERE started_ms < ?1', [now() - KEPT_MS]] as const
      // One run in sixteen removes the old ones.
      await write([[RECORD, values], ...(run.id.endsWith('0') ? [prune] : [])])
    },
    list: async ({ limit, before, name, status }) => {
      const rows = await query(LIST, [before ?? null, name ?? null, status ?? null, limit])
      return rows.map((row) => settle(readSummary(summaryRow.parse(row).summary)))
    },
    find: async (reference) => {
      const isLast = reference === 'last'
      const rows = await query(isLast ? LAST : FIND, isLast ? [] : [reference])
      const found = rows.map((row) => detailRow.parse(row))
      const exact = found.find(({ id }) => id === reference)
      const [first, second] = exact === undefined ? found : [exact]
      if (first === undefined) throw new StewardError('not_found', { what: 'run', name: reference })
      if (second !== undefined) {
        const candidates = found.map(({ id }) => id).join(', ')
        throw new StewardError('ambiguous', { name: reference, candidates })
      }
      const detail = first.detail === null ? {} : unwrap(parseJson(first.detail, 'a stored run'))
      const run = {
        ...settle(readSummary(first.summary)),
        steps: [],
        children: [],
        ...Object(detail),
      }
      return runDetail.parse(run)
    },
  }
}

const CLAIM = `INSERT OR IGNORE INTO edge_runs
  (id, name, status, started_ms, summary, idempotency_key, input_hash)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id`
const KEYED = `SELECT id, summary, input_hash, answer_status, answer FROM edge_runs
  WHERE name = ?1 AND idempotency_key = ?2`
const STARTED = 'UPDATE edge_runs SET answer_status = ?2, answer = ?3 WHERE id = ?1'
/** A worker that records its runs may have stored the status already. */
const ANSWERED = `UPDATE edge_runs SET answer_status = ?2, answer = ?3,
  summary = CASE status WHEN 'running'
    THEN json_set(summary, '$.status', ?4, '$.endedAt', ?5) ELSE summary END,
  status = CASE status WHEN 'running' THEN ?4 ELSE status END WHERE id = ?1`
const RECORD = `INSERT INTO edge_runs (id, name, status, started_ms, summary, detail)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET
  status = excluded.status, detail = excluded.detail,
  summary = json_set(excluded.summary, '$.idempotencyKey', edge_runs.idempotency_key)`
const LIST = `SELECT summary FROM edge_runs
  WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR status = ?3)
  ORDER BY id DESC LIMIT ?4`
const FIND = `SELECT id, summary, detail FROM edge_runs
  WHERE id = ?1 OR substr(id, -length(?1)) = ?1 OR substr(id, 1, length(?1)) = ?1 LIMIT 5`
const LAST = 'SELECT id, summary, detail FROM edge_runs ORDER BY id DESC LIMIT 1'

const summaryRow = z.object({ summary: z.string() })
const detailRow = summaryRow.extend({ id: z.string(), detail: z.string().nullable() })
const keyedRow = summaryRow.extend({
  id: z.string(),
  input_hash: z.string(),
  answer_status: z.number().nullable(),
  answer: z.string().nullable(),
})

const readSummary = (text: string): RunRecord =>
  runRecord.parse(unwrap(parseJson(text, 'a stored run')))

const withoutValues = ({ input: _input, output: _output, ...step }: Details['steps'][number]) =>
  step

export const runQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(20),
  before: z.string().optional(),
  name: z.string().optional(),
  status: z.enum(RUN_STATUSES).optional(),
})
