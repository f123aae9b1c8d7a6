import type { D1Database } from './bindings.ts'

type Statement = readonly [sql: string, values: readonly (string | number | null)[]]

/** Creates the tables when one is first missed, so that calls do not pay for looking. */
export const createQueries = (database: D1Database, tables: readonly string[]) => {
  const prepare = ([sql, values]: Statement) => database.prepare(sql).bind(...values)
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (thrown) {
      if (!String(thrown).includes('no such table')) throw thrown
      await database.batch(tables.map((statement) => database.prepare(statement)))
      return work()
    }
  }
  return {
    query: async (...statement: Statement): Promise<Record<string, unknown>[]> =>
      (await attempt(() => prepare(statement).all())).results,
    write: (statements: readonly Statement[]): Promise<unknown> =>
      attempt(() => database.batch(statements.map(prepare))),
  }
}
