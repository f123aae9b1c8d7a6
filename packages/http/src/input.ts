import type { StewardError } from '@steward/contract'
import type { z } from 'zod'

/** The parts of a request that a route's schemas describe. */
export interface RawInput {
  params: unknown
  query: unknown
  body: unknown
}

interface InputSchemas {
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
}

/** Parses each part with the route's schema. A path that does not match is not found (404). */
export const parseInput = (
  route: InputSchemas,
  raw: RawInput,
  errors: {
    pathNotFound: (error: z.ZodError) => StewardError
    invalid: (subject: string, error: z.ZodError) => StewardError
  },
): RawInput => ({
  params: parsePart(route.params, raw.params, errors.pathNotFound),
  query: parsePart(route.query, raw.query, (error) => errors.invalid('the query', error)),
  body: parsePart(route.body, raw.body, (error) => errors.invalid('the body', error)),
})

const parsePart = (
  schema: z.ZodType | undefined,
  value: unknown,
  toError: (error: z.ZodError) => StewardError,
): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw toError(parsed.error)
}
