import type { z } from 'zod'

/** A part of a request as its route wants it; a route that wants none gets none. */
export const parsePart = (
  schema: z.ZodType | undefined,
  value: unknown,
  toError: (error: z.ZodError) => Error,
): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw toError(parsed.error)
}
