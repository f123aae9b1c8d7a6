import type { JsonObject } from '@steward/contract'
import { createItemLedger, FLOW_ITEMS_TABLE, type ItemLedger } from '@steward/engine'
import { type D1Database, findD1 } from '../bindings.ts'
import type { WorkerPorts } from '../platform.ts'
import { redactorOf } from '../redact.ts'
import type { Invocation } from './invocation.ts'

const prepared = new WeakSet<D1Database>()

/** D1 stores values of up to 2 MB; larger ones stay in the source. */
const LONGEST_VALUE = 1_000_000

/** The item ledger in the D1 database ITEMS_DB. */
export const openLedger = async (flowId: string, invocation: Invocation): Promise<ItemLedger> => {
  const { env, ports, subrequests } = invocation
  const database = findD1(env, 'ITEMS_DB')
  await createTables(database, FLOW_ITEMS_TABLE, invocation)
  const write = createWriter(database, subrequests.spend, ports.startTimer)
  return createItemLedger(flowId, {
    query: async (sql, values) => {
      const statement = database.prepare(sql).bind(...values)
      if (sql.startsWith('UPDATE') && !sql.includes('RETURNING')) {
        await write(statement, !values.includes('processed'))
        return []
      }
      subrequests.spend()
      return (await statement.all()).results
    },
    encode: (value) => encodeItem(value, invocation),
    mask: (text) => redactorOf(env).known.redactText(text).value,
  })
}

type Statement = ReturnType<D1Database['prepare']>

/** How long a stored output waits for other changes to share its subrequest. */
const SHARE_MS = 25

/** Sends changes that come up during a write together with the next one, as one subrequest. */
const createWriter = (
  database: D1Database,
  spend: () => void,
  startTimer: WorkerPorts['startTimer'],
) => {
  const waiting: { statement: Statement; written: PromiseWithResolvers<void> }[] = []
  let isWriting = false
  const writeAll = async (): Promise<void> => {
    if (isWriting) return
    isWriting = true
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
    else startTimer(SHARE_MS, () => void writeAll())
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
