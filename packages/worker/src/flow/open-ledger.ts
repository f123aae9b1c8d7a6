import { type JsonObject, toStewardError } from '@steward/contract'
import {
  createItemLedger,
  createSourceMemory,
  FLOW_DELIVERIES_TABLES,
  FLOW_ITEMS_TABLE,
  FLOW_SOURCES_TABLE,
  type ItemLedger,
  type SourceMemory,
  type SqlQuery,
} from '@steward/engine'
import { type D1Database, findD1 } from '../bindings.ts'
import type { WorkerPorts } from '../platform.ts'
import { redactorOf } from '../redact.ts'
import { writeLog } from '../write-log.ts'
import type { Invocation } from './invocation.ts'
import { createKeptSteps, FLOW_STEPS_TABLE, type KeptSteps, type StepPorts } from './kept-steps.ts'

const prepared = new WeakSet<D1Database>()

/** D1 stores values of up to 2 MB; larger ones stay in the source. */
const LONGEST_VALUE = 1_000_000

export interface FlowLedger extends ItemLedger {
  steps: KeptSteps
  memory: SourceMemory
}

/** The item ledger in the D1 database ITEMS_DB, with the steps of items that are not processed. */
export const openLedger = async (flowId: string, invocation: Invocation): Promise<FlowLedger> => {
  const { env, ports, subrequests } = invocation
  const database = findD1(env, 'ITEMS_DB')
  await createTables(
    database,
    `${FLOW_ITEMS_TABLE}${FLOW_DELIVERIES_TABLES}${FLOW_STEPS_TABLE}${FLOW_SOURCES_TABLE}`,
    invocation,
  )
  const writeStatement = createWriter(database, subrequests.spend, ports.startTimer)
  const write: StepPorts['write'] = (sql, values, isUrgent) =>
    writeStatement(database.prepare(sql).bind(...values), isUrgent)
  const encode = (value: JsonObject) => encodeItem(value, invocation)
  const query: SqlQuery = async (sql, values) => {
    if (sql.startsWith('UPDATE') && !sql.includes('RETURNING')) {
      await write(sql, values, !values.includes('processed'))
      return []
    }
    subrequests.spend()
    const { results } = await database
      .prepare(sql)
      .bind(...values)
      .all()
    return results
  }
  const mask = (text: string) => redactorOf(env).known.redactText(text).value
  const ledger = createItemLedger(flowId, { query, encode, mask })
  const onUnstored = (thrown: unknown) =>
    writeLog(ports, env, { flow: flowId, error: toStewardError(thrown) })
  const { startTimer } = ports
  const steps = createKeptSteps(flowId, { query, startTimer, write, encode, onUnstored })
  return {
    ...ledger,
    steps,
    memory: createSourceMemory(flowId, { query, encode }),
    change: async (item, change, run) => {
      // In one transaction, because both are waiting when it is written.
      const kept = change.output === undefined ? steps.flush(item) : steps.drop([item])
      await Promise.all([kept, ledger.change(item, change, run)])
    },
  }
}

type Statement = ReturnType<D1Database['prepare']>

/** How long stored outputs and steps wait for other changes to share their subrequest. */
const SHARE_MS = 25

/** Sends changes that come up during a write together with the next one, as one subrequest. */
const createWriter = (
  database: D1Database,
  spend: () => void,
  startTimer: WorkerPorts['startTimer'],
) => {
  const waiting: { statement: Statement; written: PromiseWithResolvers<void> }[] = []
  let isWriting = false
  let isPlanned = false
  const writeAll = async (): Promise<void> => {
    if (isWriting) return
    isWriting = true
    // Several changes at once are made before this continues.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      try {
        spend()
        await database.batch(batch.map(({ statement }) => statement))
        for (const { written } of batch) written.resolve()
      } catch (thrown) {
        for (const { written } of batch) written.reject(thrown)
      }
    }
    isWriting = false
  }
  return (statement: Statement, isUrgent: boolean): Promise<void> => {
    const written = Promise.withResolvers<void>()
    waiting.push({ statement, written })
    if (isUrgent) void writeAll()
    else if (!isPlanned) {
      isPlanned = true
      startTimer(SHARE_MS, () => {
        isPlanned = false
        void writeAll()
      })
    }
    return written.promise
  }
}

/** JSON to store; null if it contains a secret or is too long. */
export const encodeItem = (value: JsonObject, { env }: Pick<Invocation, 'env'>): string | null => {
  const { value: clean, found } = redactorOf(env).known.redactFields(value)
  const text = found.length > 0 ? '' : JSON.stringify(clean)
  return text === '' || text.length > LONGEST_VALUE ? null : text
}

/** Creates tables once per isolate. */
export const createTables = async (
  database: D1Database,
  sql: string,
  { subrequests }: Pick<Invocation, 'subrequests'>,
): Promise<void> => {
  if (prepared.has(database)) return
  const statements = sql
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  subrequests.spend()
  await database.batch(statements.map((statement) => database.prepare(statement)))
  prepared.add(database)
}
