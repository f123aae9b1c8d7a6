import type { Value } from '../database/row.ts'

/** Conditions of a query and the values they speak of, numbered as they come. */
export interface Where {
  /** `add('name = ?', value)`: each `?` becomes the next parameter. */
  add(condition: string, ...values: readonly Value[]): void
  /** The next parameter's place. */
  place(value: Value): string
  /** `WHERE …`, or nothing. */
  readonly text: string
  readonly values: readonly Value[]
}

export const createWhere = (): Where => {
  const conditions: string[] = []
  const values: Value[] = []
  const place = (value: Value): string => `$${values.push(value)}`
  return {
    add: (condition, ...given) => {
      const rest = [...given]
      conditions.push(condition.replaceAll('?', () => place(rest.shift() ?? null)))
    },
    place,
    get text() {
      return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    },
    values,
  }
}
