import { describeIssues, type HostedRoute, issuesOf, StewardError } from '@steward/contract'
import { parseInput, type RawInput } from '@steward/http'
import type { z } from 'zod'
import { notFound } from './refusal.ts'

/** Parses a call's input with its route's schema; errors name the invalid field. */
export const parseRouteInput = (route: HostedRoute, raw: RawInput): RawInput =>
  parseInput(route, raw, {
    pathNotFound: () => notFound('path', route.path),
    invalid: toInvalid,
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
