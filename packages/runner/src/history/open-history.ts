import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DailySpend, dailySpend, StewardError } from '@steward/contract'
import {
  type Connection,
  type Database,
  openDatabase,
  type Redactor,
  type RedactRecords,
  redactHere,
} from '@steward/platform'
import { prepareBegin } from './begin-run.ts'
import { cancelRun } from './cancel-run.ts'
import {
  DELIVERIES_MIGRATIONS,
  FLOW_ITEMS_MIGRATIONS,
  FLOW_SOURCES_MIGRATIONS,
} from './flow-items.ts'
import type { RunHistory } from './history.ts'
import { maskDetail, maskLater, maskRecord } from './mask-record.ts'
import { prepareCall, readCalls } from './model-calls.ts'
import { createOwners, type Owners } from './owners.ts'
import { createPayloadFiles } from './payload-files.ts'
import { createPayloads } from './payloads.ts'
import { type Pruned, pruneHistory, type RetentionPolicy } from './prune-history.ts'
import { readDetail } from './read-detail.ts'
import { readResumable, readStep } from './read-resumable.ts'
import { findLeftOwners, listRuns, readRun } from './read-runs.ts'
import { resolveRunId } from './resolve-id.ts'
import { HISTORY_MIGRATIONS, STEP_PATH_MIGRATIONS } from './schema.ts'
import { readSpend } from './spend.ts'
import { FORGET_RETRIED_LOGS, prepareLogs, STEP_LOGS_MIGRATIONS } from './step-logs.ts'
import { createProgressWriter } from './write-progress.ts'

export interface HistoryOptions {
  /** The data home's `state` folder. */
  directory: string
  redactor: Redactor
  /** How `show` masks runs. */
  redactRecords?: RedactRecords
}

export interface StoredHistory extends RunHistory {
  /** Shared with the flows, so that an item's end and its state are one commit. */
  readonly database: Database
  /** Removes old finished runs; see `RetentionPolicy`. */
  prune(policy: RetentionPolicy, nowMs: number): Promise<Pruned>
}

export const HISTORY_SCHEMA: readonly string[] = [
  ...HISTORY_MIGRATIONS,
  ...FLOW_ITEMS_MIGRATIONS,
  ...STEP_LOGS_MIGRATIONS,
  ...STEP_PATH_MIGRATIONS,
  ...FLOW_SOURCES_MIGRATIONS,
  ...DELIVERIES_MIGRATIONS,
]

/** The run history on SQLite, shared by all processes that open the same folder. */
export const openHistory = ({
  directory,
  redactor,
  redactRecords = redactHere,
}: HistoryOptions): StoredHistory => {
  const database = openDatabase(join(directory, 'history.sqlite'), {
    migrations: HISTORY_SCHEMA,
    hadOne: () => hasTraces(directory),
    syncsInThread: true,
  })
  const files = createPayloadFiles(join(directory, 'payloads'))
  const payloads = createPayloads(files, redactor)
  const progress = createProgressWriter(database, payloads, redactor)
  const owners = createOwners(join(directory, 'owners'))
  owners.sweep()
  const findLeft = () => database.read((connection) => findLeftOwners(connection, owners))

  const readStored = (runId: string) => {
    const left = findLeft()
    return database.read((connection) => readDetail(connection, runId, left, payloads))
  }

  return {
    database,
    begin: async (run) => {
      const existing = await progress.begin(prepareBegin(run, owners.own(), payloads))
      if (existing === undefined) return { created: true }
      const left = findLeft()
      const record = database.read((connection) => readRun(connection, existing, left))
      if (record !== undefined) return { created: false, run: record }
      throw new StewardError('not_found', { what: 'run', name: existing })
    },
    advance: progress.advance,
    recordLogs: async (logs) => database.write(prepareLogs(logs, redactor)),
    recordCall: async (call, onCounted) => {
      const store = prepareCall(call, payloads)
      await database.write((connection) => {
        store(connection)
        onCounted?.()
      })
    },
    calls: (runId, step) =>
      database.read((connection) => readCalls(connection, runId, step, payloads)),
    recallStep: (runId, index) =>
      database.read((connection) => readStep(connection, runId, index, payloads)),
    claim: (runId, from) =>
      database.write((connection) =>
        claimRun(connection, runId, owners, { failed: from !== undefined }),
      ),
    cancel: (runId, endedAt) =>
      database.write((connection) => cancelRun(connection, runId, endedAt, owners)),
    resumable: (runId) => {
      const left = findLeft()
      return database.read((connection) => readResumable(connection, runId, left, payloads))
    },
    get: (runId) => {
      const detail = readStored(runId)
      return detail && maskDetail(detail, redactor)
    },
    show: async (runId) => {
      const detail = readStored(runId)
      return detail && maskLater(detail, redactor, redactRecords)
    },
    record: (runId) => {
      const left = findLeft()
      const run = database.read((connection) => readRun(connection, runId, left))
      return run && maskRecord(run, redactor)
    },
    getStored: readStored,
    resolveId: (reference) => database.read((connection) => resolveRunId(connection, reference)),
    list: (filter = {}) => {
      const left = findLeft()
      const runs = database.read((connection) => listRuns(connection, filter, left))
      return runs.map((run) => maskRecord(run, redactor))
    },
    spend: (filter) => database.read((connection) => readSpend(connection, filter)),
    dailySpend: (since) => database.read((connection) => readDailySpend(connection, since)),
    prune: (policy, nowMs) => pruneHistory(database, files, policy, nowMs),
    close: async () => {
      await database.close()
      owners.close()
    },
  }
}

const TAKE = `UPDATE runs SET status = 'running', owner = ?, ended_at = NULL, error = NULL WHERE id = ?`

/** The step to retry: it never ended, or it failed. */
const RETRY = `UPDATE steps SET attempts = attempts + 1, ended_at = NULL, error = NULL, spend = NULL,
  isolation = NULL WHERE run_id = ? AND idx >= 0 AND (ended_at IS NULL OR error IS NOT NULL)
    AND mark IS NOT 'handled'`

/**
 * Takes over a run inside a write. No other process can commit meanwhile, so a run that is
 * `running` here with a dead owner was really abandoned.
 */
const claimRun = (
  { statement }: Connection,
  runId: string,
  owners: Owners,
  { failed }: { failed: boolean },
): boolean => {
  const run = statement('SELECT status, owner FROM runs WHERE id = ?').get(runId)
  if (run === undefined) return false
  const isLeft = run.status === 'running' && !owners.isAlive(String(run.owner))
  if (!isLeft && !(failed && run.status === 'failed')) return false
  statement(TAKE).run(owners.own(), runId)
  statement(FORGET_RETRIED_LOGS).run(runId)
  statement(RETRY).run(runId)
  return true
}

const DAY_MS = 86_400_000

const BY_DAY = `
  SELECT CAST(at / ${DAY_MS} AS INTEGER) AS day, flow, count(*) AS calls,
    sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
    CASE WHEN count(*) = count(cost) THEN total(cost) END AS cost,
    json_group_array(DISTINCT model) AS models
  FROM model_calls WHERE at >= ? GROUP BY 1, 2 ORDER BY 1, 2`

/** Days are in UTC, like budgets. */
const readDailySpend = ({ statement }: Connection, since: number): DailySpend[] =>
  statement(BY_DAY)
    .all(since)
    .map((row) =>
      dailySpend.parse({
        ...row,
        day: new Date(Number(row.day) * DAY_MS).toISOString().slice(0, 10),
        models: JSON.parse(String(row.models)).toSorted(),
      }),
    )

/** Whether runs have left files beside the database. */
const hasTraces = (directory: string): boolean =>
  ['owners', 'payloads'].some((name) => {
    const folder = join(directory, name)
    return existsSync(folder) && readdirSync(folder).length > 0
  }) || existsSync(join(directory, 'pruned'))
