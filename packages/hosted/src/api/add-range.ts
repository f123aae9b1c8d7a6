import type { Where } from './where.ts'

interface Range {
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
}

/** Adds `created_at[gte]` and similar filters on a column of milliseconds. */
export const addRange = (where: Where, column: string, range: Range | undefined): void => {
  if (range?.gt !== undefined) where.add(`${column} > ?`, Date.parse(range.gt))
  if (range?.gte !== undefined) where.add(`${column} >= ?`, Date.parse(range.gte))
  if (range?.lt !== undefined) where.add(`${column} < ?`, Date.parse(range.lt))
  if (range?.lte !== undefined) where.add(`${column} <= ?`, Date.parse(range.lte))
}
