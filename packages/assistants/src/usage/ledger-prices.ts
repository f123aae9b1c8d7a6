import { type ModelPrices, modelPrices, OWN_ORIGINS, parseJsonObject } from '@steward/contract'
import { createPricer, PRICES, type PriceTable, priceOf } from '@steward/models'
import type { Connection } from '@steward/platform'

/** The list prices, with a person's own in place of those. */
export const pricesWith = (own: ModelPrices): PriceTable => ({
  ...PRICES,
  ...Object.fromEntries(
    Object.entries(own).map(([model, { input, output, cache_read }]) => [
      model,
      { input, output, ...(cache_read === undefined ? {} : { cacheRead: cache_read }) },
    ]),
  ),
})

/** A person's own prices, as the ledger knows them. */
export const readOwnPrices = ({ statement }: Connection): ModelPrices => {
  const row = statement('SELECT own FROM prices').get()
  const stored = modelPrices.safeParse(parseJsonObject(String(row?.own ?? '{}')))
  return stored.success ? stored.data : {}
}

/** Computes the costs again whose prices have changed, also in the list of a newer version. */
export const applyPrices = (connection: Connection, own: ModelPrices): void => {
  const { statement } = connection
  const list = JSON.stringify(PRICES)
  const text = JSON.stringify(own)
  const stored = statement('SELECT list, own FROM prices').get()
  if (stored?.list === list && stored.own === text) return
  const [before, prices] = [pricesWith(readOwnPrices(connection)), pricesWith(own)]
  const isSameList = stored === undefined || stored.list === list
  for (const { model } of statement(MODELS).all()) {
    const isSame = textOf(before, String(model)) === textOf(prices, String(model))
    if (!isSameList || !isSame) priceAgain(connection, String(model), prices)
  }
  statement('INSERT OR REPLACE INTO prices VALUES (1, ?, ?)').run(list, text)
}

const textOf = (prices: PriceTable, model: string): string | undefined =>
  JSON.stringify(priceOf(model, prices))

/** Runs, hosted agents and observers recorded a cost of their own with each call. */
const OWN = OWN_ORIGINS.map((origin) => `'${origin}'`).join()
const MODELS = `SELECT DISTINCT model FROM contexts WHERE assistant NOT IN (${OWN})`

const priceAgain = ({ statement }: Connection, model: string, prices: PriceTable): void => {
  const price = createPricer(prices)
  const contexts = statement(
    `SELECT id FROM contexts WHERE model = ? AND assistant NOT IN (${OWN})`,
  ).all(model)
  for (const { id } of contexts) {
    const rows = statement('SELECT * FROM call_rows WHERE context = ?').all(id ?? null)
    for (const row of rows) {
      const computed = price(model, {
        input: Number(row.input),
        output: Number(row.output),
        cacheRead: Number(row.cache_read),
        cacheWrite5m: Number(row.cache_write_5m),
        cacheWrite1h: Number(row.cache_write_1h),
      })
      statement(
        'UPDATE call_rows SET computed_nano = ? WHERE context = ? AND quarter = ? AND key = ?',
      ).run(computed, id ?? null, Number(row.quarter), Number(row.key))
    }
  }
}
