import { z } from 'zod'
import { readCursor, writeCursor } from './page.ts'

const cursor = z.object({ n: z.number().int().nonnegative() })

/** A page of a list that is short enough to be in memory as a whole. */
export const pageOfArray = <T>(
  items: readonly T[],
  { limit, page }: { limit: number; page?: string | undefined },
): { data: T[]; next_page: string | null } => {
  const start = page === undefined ? 0 : readCursor(page, cursor).n
  const end = start + limit
  return {
    data: items.slice(start, end),
    next_page: end < items.length ? writeCursor({ n: end }) : null,
  }
}
