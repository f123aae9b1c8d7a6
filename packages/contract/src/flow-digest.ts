import { z } from 'zod'
import { parseDuration } from './duration.ts'
import { LIMITS } from './limits.ts'

/** Calendar windows of a digest; others are durations. */
const DIGEST_WINDOWS = ['run', 'day', 'week']
const MINUTE_MS = 60_000
const ORDER = /^\s*[A-Za-z_][\w.-]*(\s+(asc|desc))?\s*(,\s*[A-Za-z_][\w.-]*(\s+(asc|desc))?\s*)*$/

/** One delivery for many items: design section 16. */
export const flowDigest = z.strictObject({
  title: z.string().min(1).max(500).optional().meta({
    description:
      'Title and mail subject; {count}, {total}, {date} and {flow} are replaced. By default "{count} new items of {flow}".',
  }),
  order: z
    .string()
    .max(200)
    .regex(ORDER, 'must be fields with asc or desc, such as rating desc, title')
    .optional()
    .meta({
      description:
        'Fields of the outputs to sort by, such as "rating desc, title"; by default in the order they were found.',
    }),
  maxItems: z
    .int()
    .min(1)
    .max(LIMITS.digestItems)
    .optional()
    .meta({ description: `The most items of one digest; ${LIMITS.digestItems} by default.` }),
  rest: z.enum(['next', 'drop']).optional().meta({
    description:
      'Items beyond maxItems: wait for the next digest (next, the default), or become filtered (drop).',
  }),
  window: z
    .string()
    .refine(
      (text) =>
        DIGEST_WINDOWS.includes(text) ||
        ((parseDuration(text) ?? 0) >= MINUTE_MS && (parseDuration(text) ?? 0) % MINUTE_MS === 0),
      'must be run, day, week, or a duration of whole minutes such as 6h',
    )
    .optional()
    .meta({
      description:
        'At most one digest per run (run, the default), day, week or duration such as 6h. The first run after the window sends it.',
    }),
  item: z.string().min(1).max(10_000).optional().meta({
    description:
      'Markdown of one item; {field} is replaced by that field of its output, also {number}, {title}, {url} and {text}.',
  }),
  body: z.string().min(1).max(10_000).optional().meta({
    description: 'Markdown around the items: {items}, {title}, {count}, {total}, {date}, {flow}.',
  }),
})
export type FlowDigest = z.infer<typeof flowDigest>
