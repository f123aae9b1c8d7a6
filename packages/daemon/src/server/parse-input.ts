import { describeIssues, issuesOf, type Route, StewardError } from '@steward/contract'
import { parseInput, type RawInput } from '@steward/http'
import type { z } from 'zod'

/** Parses a call's input by its route; errors name the field. */
export const parseRouteInput = (route: Route, raw: RawInput): RawInput =>
  parseInput(route, raw, { pathNotFound, invalid })

const invalid = (subject: string, error: z.ZodError): StewardError => {
  const issues = issuesOf(error)
  const field = issues[0]?.path
  return new StewardError('invalid_input', {
    subject,
    reason: describeIssues(issues),
    ...(field ? { field } : {}),
  })
}

/**
 * Explains the expected path if the route knows it, as for an unknown domain or a misspelled slug.
 */
const pathNotFound = (error: z.ZodError): StewardError =>
  new StewardError('not_found', { what: 'path', name: describeIssues(issuesOf(error)) })
