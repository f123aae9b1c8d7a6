import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { instant } from './instant.ts'

/** Query of every list. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(HOSTED_LIMITS.pageMost)
    .default(HOSTED_LIMITS.pageDefault),
  /** The `next_page` value of the previous page. */
  page: z.string().max(2048).optional(),
}

export const includeArchived = z.stringbool().default(false)
export const listOrder = z.enum(['asc', 'desc'])

/** `created_at[gte]=…` and similar filters. */
export const createdRange = z
  .object({
    gt: instant.optional(),
    gte: instant.optional(),
    lt: instant.optional(),
    lte: instant.optional(),
  })
  .optional()

/** A page of a list; clients continue while `next_page` is set. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next_page: z.string().nullable() })

/** The list of sessions can also be paged backward. */
export const pageBothWaysOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({ prev_page: z.string().nullable() })

/** The list of files also has the paging fields of clients before 0.137. */
export const filePageOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })

export interface HostedPage<Item> {
  data: Item[]
  next_page: string | null
}
