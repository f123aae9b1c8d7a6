import {
  describeIssues,
  type HostedRoute,
  issuesOf,
  parsePart,
  StewardError,
} from '@steward/contract'
import type { z } from 'zod'
import type { AnyInput } from './handler.ts'
import { notFound } from './refusal.ts'

/** What comes in, as the route wants it: a path that does not fit is no path (404), the rest is named (400). */
export const parseInput = (route: HostedRoute, raw: AnyInput): AnyInput => ({
  params: parsePart(route.params, raw.params, () => notFound('path', route.path)),
  query: parsePart(route.query, raw.query, (error) => toInvalid('the query', error)),
  body: parsePart(route.body, raw.body, (error) => toInvalid('the body', error)),
})

const SHOWN_ISSUES = 10

export const toInvalid = (subject: string, error: z.ZodError): StewardError => {
  const issues = issuesOf(error).slice(0, SHOWN_ISSUES)
  const code = issues.some(({ path }) => path.startsWith('metadata'))
    ? 'invalid_metadata'
    : undefined
  return new StewardError('invalid_input', {
    subject,
    reason: describeIssues(issues),
    ...(code === undefined ? {} : { error_code: code }),
  })
}
