import { describeIssues, issuesOf, parsePart, type Route, StewardError } from '@steward/contract'
import type { z } from 'zod'

export interface RawInput {
  params: unknown
  query: unknown
  body: unknown
}

/**
 * What comes in, as the route wants it. A path that does not fit is no path of ours (404); any other
 * mistake names its field (400).
 */
export const parseInput = (route: Route, raw: RawInput): RawInput => ({
  params: parsePart(route.params, raw.params, pathNotFound),
  query: parsePart(route.query, raw.query, (error) => invalid('the query', error)),
  body: parsePart(route.body, raw.body, (error) => invalid('the body', error)),
})

const invalid = (subject: string, error: z.ZodError): StewardError => {
  const issues = issuesOf(error)
  const field = issues[0]?.path
  return new StewardError('invalid_input', {
    subject,
    reason: describeIssues(issues),
    ...(field ? { field } : {}),
  })
}

/** Says what would be one, where the route knows: a domain that is none, a slug in the wrong letters. */
const pathNotFound = (error: z.ZodError): StewardError =>
  new StewardError('not_found', { what: 'path', name: describeIssues(issuesOf(error)) })
