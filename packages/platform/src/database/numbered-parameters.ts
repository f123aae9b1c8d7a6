import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/**
 * Prepares a statement whose parameters may be numbered (`?1`) and whose values are given in order.
 * Node before 24 takes a numbered parameter for a named one, so there the values are given by name.
 */
export const prepareNumbered = (
  database: DatabaseSync,
  sql: string,
  bindsInOrder: () => boolean = nodeBindsInOrder,
): StatementSync => {
  const statement = database.prepare(sql)
  if (!NUMBERED.test(sql) || bindsInOrder()) return statement
  const { run, get, all, iterate } = statement
  return Object.assign(statement, {
    run: (...values: SQLInputValue[]) => run.call(statement, byNumber(values)),
    get: (...values: SQLInputValue[]) => get.call(statement, byNumber(values)),
    all: (...values: SQLInputValue[]) => all.call(statement, byNumber(values)),
    iterate: (...values: SQLInputValue[]) => iterate.call(statement, byNumber(values)),
  })
}

const NUMBERED = /\?\d/

const byNumber = (values: readonly SQLInputValue[]): Record<string, SQLInputValue> =>
  Object.fromEntries(values.map((value, index) => [`?${index + 1}`, value]))

let known: boolean | undefined
const nodeBindsInOrder = (): boolean => {
  known ??= tryInOrder()
  return known
}

const tryInOrder = (): boolean => {
  const database = new DatabaseSync(':memory:')
  try {
    return database.prepare('SELECT ?1 AS value').get(1)?.value === 1
  } catch {
    return false
  } finally {
    database.close()
  }
}
