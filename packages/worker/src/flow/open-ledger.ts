import type { JsonObject } from '@steward/contract'
import { createItemLedger, FLOW_ITEMS_TABLE, type ItemLedger } from '@steward/engine'
import { type D1Database, findD1 } from '../bindings.ts'
import { redactorOf } from '../redact.ts'
import type { Invocation } from './invocation.ts'

const prepared = new WeakSet<D1Database>()

/** D1 stores values of up to 2 MB; larger ones stay in the source. */
const LONGEST_VALUE = 1_000_000

/** The item ledger in the D1 database ITEMS_DB. */
export const openLedger = async (flowId: string, invocation: Invocation): Promise<ItemLedger> => {
  const { env, subrequests } = invocation
  const database = findD1(env, 'ITEMS_DB')
  await createTables(database, FLOW_ITEMS_TABLE, invocation)
  return createItemLedger(flowId, {
    query: async (sql, values) => {
      subrequests.spend()
      const { results } = await database
        .prepare(sql)
        .bind(...values)
        .all()
      return results
    },
    encode: (value) => encodeItem(value, invocation),
    mask: (text) => redactorOf(env).known.redactText(text).value,
  })
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
