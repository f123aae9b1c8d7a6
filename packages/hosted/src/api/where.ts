import type { Value } from '../database/row.ts'

/** Conditions of a query and their values, numbered in order. */
export interface Where {
  /** `add('name = ?', value)`: each `?` becomes the next parameter. */
  add(condition: string, ...values: readonly Value[]): void
  /** Adds a value and returns its placeholder. */
  place(value: Value): string
  /** `WHERE …`, or an empty string. */
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
