import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { NewRun } from './history.ts'
import type { Payloads } from './payloads.ts'
import { prepareInherited, prepareStart, type ReadyStart, storeStart } from './write-steps.ts'

/** The row among a run's steps that holds the run's own input and output. */
export const OWN_ROW = -1

const COLUMNS = `(id, primitive, name, owner, version, definition, parent_id, flow, rerun_of,
  rerun_from, idempotency_key, input_hash, started_at, status, ended_at, error, filtered, step_count,
  spend)`
/** Ignored while the definition is not stored, because a run requires one. */
const INSERT_IF_DEFINED = `INSERT OR IGNORE INTO runs ${COLUMNS} VALUES (?, ?, ?, ?, ?,
  (SELECT hash FROM definitions WHERE hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT = `INSERT INTO runs ${COLUMNS}
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** The columns of a run that change at its end. */
export interface RunEnd {
  status: 'completed' | 'failed'
  endedAt: number
  error: string | null
  filtered: string | null
  stepCount: number
  spend: string | null
}

/** The start of a run, redacted and encoded, so that the write transaction only stores it. */
export interface ReadyBegin {
  runId: string
  /**
   * Stores all but the first step, and how the run ended if it has; returns the existing run with
   * the same idempotency key.
   */
  store: (connection: Connection, ended: RunEnd | undefined) => string | undefined
  firstStep: ReadyStart
  /** Whether it takes over steps of another run. */
  hasInherited: boolean
}

export const prepareBegin = (run: NewRun, owner: string, payloads: Payloads): ReadyBegin => {
  const { id, input, startedAt } = run
  const inputHash = run.idempotencyKey === undefined ? null : hashInput(run.name, input)
  const own = prepareStart({ index: OWN_ROW, action: '', startedAt, input }, payloads)
  const inherited = (run.inherited ?? []).map((step) => prepareInherited(id, step, payloads))
  const store: ReadyBegin['store'] = (connection, ended) => {
    const existing = findByKey(connection, run, inputHash)
    if (existing !== undefined) return existing
    const row = { run, owner, inputHash, ended }
    if (insertRun(connection, INSERT_IF_DEFINED, row) === 0) {
      keepDefinition(connection, run, payloads)
      insertRun(connection, INSERT, row)
    }
    storeStart(connection, id, own, payloads)
    for (const store of inherited) store(connection)
    if (run.copied !== undefined) copySteps(connection, run, run.copied)
    return undefined
  }
  const hasInherited = run.inherited !== undefined || run.copied !== undefined
  return { runId: id, store, firstStep: prepareStart(run.firstStep, payloads), hasInherited }
}

/** Steps of another run of the same pipeline. That run paid for them, so they cost nothing here. */
const COPY_STEPS = `INSERT INTO steps (run_id, idx, path, action, attempts, started_at, ended_at,
    isolation, error, mark, input_redacted, output_redacted, input, output)
  SELECT ?, idx, ifnull(path, idx + 1), action, attempts, started_at, ended_at, isolation, error, mark,
    input_redacted, output_redacted, input, output
  FROM steps WHERE run_id = ? AND idx IN (SELECT value FROM json_each(?))`
const COPY_REFERENCES =
  'INSERT OR IGNORE INTO payload_refs (run_id, hash) SELECT ?, hash FROM payload_refs WHERE run_id = ?'

const copySteps = (
  { statement }: Connection,
  { id, rerunOf }: NewRun,
  indexes: readonly number[],
): void => {
  if (rerunOf === undefined) return
  statement(COPY_STEPS).run(id, rerunOf.id, JSON.stringify(indexes))
  statement(COPY_REFERENCES).run(id, rerunOf.id)
}

interface RunRow {
  run: NewRun
  owner: string
  inputHash: string | null
  ended: RunEnd | undefined
}

const insertRun = (
  connection: Connection,
  insert: string,
  { run, owner, inputHash, ended }: RunRow,
): number | bigint =>
  connection
    .statement(insert)
    .run(
      run.id,
      run.primitive,
      run.name,
      owner,
      run.definition.version,
      run.definition.hash,
      run.parentId ?? null,
      findFlow(connection, run),
      run.rerunOf?.id ?? null,
      run.rerunOf?.fromStep ?? null,
      run.idempotencyKey ?? null,
      inputHash,
      run.startedAt,
      ended?.status ?? 'running',
      ended?.endedAt ?? null,
      ended?.error ?? null,
      ended?.filtered ?? null,
      ended?.stepCount ?? 0,
      ended?.spend ?? null,
    ).changes

const findByKey = (
  { statement }: Connection,
  { idempotencyKey }: NewRun,
  inputHash: string | null,
): string | undefined => {
  if (idempotencyKey === undefined) return undefined
  const row = statement('SELECT id, input_hash FROM runs WHERE idempotency_key = ?').get(
    idempotencyKey,
  )
  if (row === undefined) return undefined
  if (row.input_hash === inputHash) return String(row.id)
  throw new StewardError('run_conflict', { key: idempotencyKey, run: String(row.id) })
}

/** Definitions are shared by the runs that started from them. */
const keepDefinition = (
  { statement }: Connection,
  { definition }: NewRun,
  payloads: Payloads,
): void => {
  const { column, redacted } = payloads.encodeInline(definition.body)
  statement('INSERT OR IGNORE INTO definitions (hash, body, redacted) VALUES (?, ?, ?)').run(
    definition.hash,
    column,
    redacted,
  )
}

/** The flow that the run belongs to: itself, or its parent's. */
const findFlow = ({ statement }: Connection, run: NewRun): string | null => {
  if (run.primitive === 'flow') return run.name
  if (run.parentId === undefined) return null
  const flow = statement('SELECT flow FROM runs WHERE id = ?').get(run.parentId)?.flow
  return typeof flow === 'string' ? flow : null
}

/**
 * Distinguishes two uses of one idempotency key: by what runs, and its input regardless of field
 * order.
 */
const hashInput = (name: string, input: JsonObject): string =>
  createHash('sha256')
    .update(JSON.stringify([name, input], sortFields))
    .digest('hex')

const sortFields = (_: string, value: unknown): unknown =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
