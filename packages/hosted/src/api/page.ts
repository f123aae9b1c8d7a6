import { z } from 'zod'
import type { Row } from '../database/row.ts'
import { query, type Tx } from '../database/tx.ts'
import { invalid } from './refusal.ts'
import type { Where } from './where.ts'

export interface PageRequest {
  limit: number
  page?: string | undefined
  order: 'asc' | 'desc'
}

export interface ListSource {
  /** Everything before `WHERE`. */
  select: string
  /** Lists are sorted by time, then by id. */
  timeColumn: string
  /** The name of that column in a row. */
  timeName: string
  idColumn: string
}

export interface RowPage {
  rows: readonly Row[]
  next_page: string | null
  prev_page: string | null
}

const cursor = z.object({
  o: z.enum(['asc', 'desc']),
  d: z.enum(['next', 'prev']),
  t: z.number().int(),
  i: z.string().regex(/^[\w-]{1,128}$/),
})
type Cursor = z.infer<typeof cursor>

/**
 * One page of a list, found by the position where the previous page ended, so that inserted or
 * deleted rows do not shift it.
 */
export function* readPage(source: ListSource, where: Where, request: PageRequest): Tx<RowPage> {
  const from = request.page === undefined ? undefined : readCursor(request.page, cursor)
  if (from !== undefined && from.o !== request.order)
    throw invalid('page', `the cursor belongs to a list in order ${from.o}`)
  const isBack = from?.d === 'prev'
  const isUp = (request.order === 'asc') !== isBack
  const { timeColumn: time, idColumn: id } = source
  if (from !== undefined) {
    const beyond = isUp ? '>' : '<'
    where.add(
      `(${time} ${beyond} ? OR (${time} = ? AND ${id} ${beyond} ?))`,
      from.t,
      from.t,
      from.i,
    )
  }
  const direction = isUp ? 'ASC' : 'DESC'
  const { text } = where
  const limit = where.place(request.limit + 1)
  const found = yield* query(
    `${source.select} ${text} ORDER BY ${time} ${direction}, ${id} ${direction} LIMIT ${limit}`,
    ...where.values,
  )
  const hasMore = found.length > request.limit
  const kept = found.slice(0, request.limit)
  const rows = isBack ? kept.toReversed() : kept
  const cursorAt = (row: Row | undefined, d: Cursor['d']): string | null =>
    row === undefined
      ? null
      : writeCursor({ o: request.order, d, t: Number(row[source.timeName]), i: String(row.id) })
  return {
    rows,
    next_page: isBack || hasMore ? cursorAt(rows.at(-1), 'next') : null,
    prev_page: (isBack ? hasMore : from !== undefined) ? cursorAt(rows[0], 'prev') : null,
  }
}

export const writeCursor = (fields: Readonly<Record<string, string | number>>): string =>
  Buffer.from(JSON.stringify(fields)).toString('base64url')

/** Decodes a cursor; a malformed cursor is the caller's error. */
export const readCursor = <T>(page: string, shape: z.ZodType<T>): T => {
  const wrong = invalid('page', 'it is not a cursor of this list')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(page, 'base64url').toString('utf8'))
  } catch {
    throw wrong
  }
  const read = shape.safeParse(value)
  if (!read.success) throw wrong
  return read.data
}
