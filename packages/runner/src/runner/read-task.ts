import { describeIssues, issuesOf, StewardError } from '@steward/contract'
import type { z } from 'zod'

/** What an action asks of a capability, checked; `subject` names the capability in the error. */
export const readTask = <T>(shape: z.ZodType<T>, given: unknown, subject: string): T => {
  const parsed = shape.safeParse(given)
  if (parsed.success) return parsed.data
  const reason = describeIssues(issuesOf(parsed.error))
  throw new StewardError('invalid_input', { subject, reason })
}
