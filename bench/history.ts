import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRedactor } from '@steward/platform'
import { newRunId, openHistory, type StoredHistory } from '@steward/runner'

type Print = (line: string) => void

const SMALL = 1_000
const LARGE = 1_000_000
const STEPS_PER_RUN = 3
const ROUNDS = 400
const FIRST_RUN_AT = Date.UTC(2026, 0, 1)
const NO_SPEND = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] }
const INPUT = { content: 'A storm came in from the west that night. ', page: 4 }

/** The cost of history operations with a million stored steps compared with a thousand. */
export const benchHistory = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    const small = await fillHistory(join(directory, 'small'), SMALL)
    const startedAt = performance.now()
    const large = await fillHistory(join(directory, 'large'), LARGE)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    print(`run history with ${SMALL} and with ${LARGE} stored steps (filled in ${seconds} s), p50`)
    const measured = await measureBoth(small, large)
    for (const [operation, [fewUs, manyUs]] of measured) {
      const ratio = (manyUs / fewUs).toFixed(2)
      print(
        `  ${operation.padEnd(22)} ${fewUs.toFixed(0).padStart(6)} us ${manyUs.toFixed(0).padStart(6)} us  ${ratio}x`,
      )
    }
    await small.history.close()
    await large.history.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Filled {
  history: StoredHistory
  ids: string[]
}

/** Uses the history's schema; the rows are inserted without a commit each. */
const fillHistory = async (directory: string, steps: number): Promise<Filled> => {
  const history = openHistory({ directory, redactor: createRedactor({}) })
  await runOnce(history, 'P_FILL', FIRST_RUN_AT)
  const ids: string[] = []
  const database = new DatabaseSync(join(directory, 'history.sqlite'), { timeout: 10_000 })
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
  const insertRun =
    database.prepare(`INSERT INTO runs (id, primitive, name, status, owner, version, definition, parent_id,
    started_at, ended_at, step_count, error) VALUES (?, 'pipeline', ?, ?, 'gone', '1.0.0', 'bench', ?, ?, ?, ?, ?)`)
  const insertStep =
    database.prepare(`INSERT INTO steps (run_id, idx, action, started_at, ended_at, input, output)
    VALUES (?, ?, 'A_COUNT_WORDS', ?, ?, ?, ?)`)
  const payload = JSON.stringify(INPUT)
  const error = JSON.stringify({ code: 'timeout', message: 'took too long', retryable: true })
  for (let run = 0; run < steps / STEPS_PER_RUN; run++) {
    const at = FIRST_RUN_AT + run * 10
    const id = newRunId(at)
    const isFailed = run % 50 === 0
    const parent = run % 20 < 10 ? null : (ids.at(-10) ?? null)
    insertRun.run(
      id,
      `P_NUMBER_${run % 40}`,
      isFailed ? 'failed' : 'completed',
      parent,
      at,
      at + 5,
      STEPS_PER_RUN,
      isFailed ? error : null,
    )
    insertStep.run(id, -1, at, null, payload, null)
    for (let index = 0; index < STEPS_PER_RUN; index++) {
      insertStep.run(id, index, at, at + 1, null, payload)
    }
    ids.push(id)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return { history, ids }
}

const runOnce = async (history: StoredHistory, name: string, at: number): Promise<void> => {
  const runId = newRunId(at)
  await begin(history, runId, name, at)
  await finish(history, runId, at)
}

const begin = (history: StoredHistory, id: string, name: string, startedAt: number) =>
  history.begin({
    id,
    primitive: 'pipeline',
    name,
    definition: { version: '1.0.0', hash: 'bench', body: {} },
    input: INPUT,
    startedAt,
    firstStep: { index: 0, action: 'A_COUNT_WORDS', startedAt },
  })

const finish = (history: StoredHistory, runId: string, endedAt: number) =>
  history.advance({
    runId,
    done: { index: 0, endedAt, outcome: { output: INPUT }, spend: NO_SPEND, isolation: null },
    finished: { status: 'completed', endedAt },
  })

const OPERATIONS: Record<string, (filled: Filled, runId: string, round: number) => unknown> = {
  begin: ({ history }, runId) => begin(history, runId, 'P_NUMBER_7', Date.now()),
  'advance to the end': ({ history }, runId) => finish(history, runId, Date.now()),
  'get a run': ({ history, ids }, _, round) => history.get(pick(ids, round)),
  'list newest 50': ({ history }) => history.list(),
  'list top level': ({ history }) => history.list({ parentId: null }),
  'list by name': ({ history }) => history.list({ name: 'P_NUMBER_7', limit: 8 }),
  'list failed': ({ history }) => history.list({ status: 'failed', limit: 5 }),
  'list interrupted': ({ history }) => history.list({ status: 'interrupted' }),
  'list from the middle': ({ history, ids }) => history.list({ before: pick(ids, 1) }),
  'spend of today': ({ history }) => history.spend({ since: Date.now() - 1000 }),
}

const pick = (ids: readonly string[], round: number): string =>
  ids[Math.floor(((round * 0.618) % 1) * ids.length)] ?? ''

/** Alternating, so that other load affects both. */
const measureBoth = async (
  small: Filled,
  large: Filled,
): Promise<Map<string, [number, number]>> => {
  const samples = new Map<string, [number[], number[]]>()
  for (const operation of Object.keys(OPERATIONS)) samples.set(operation, [[], []])
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [side, filled] of [small, large].entries()) {
      const runId = newRunId(Date.now())
      for (const [operation, perform] of Object.entries(OPERATIONS)) {
        const at = performance.now()
        await perform(filled, runId, round)
        samples.get(operation)?.[side === 0 ? 0 : 1].push((performance.now() - at) * 1000)
      }
    }
  }
  return new Map(
    [...samples].map(([operation, [few, many]]) => [operation, [middle(few), middle(many)]]),
  )
}

const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

if (import.meta.main) await benchHistory(console.log)
