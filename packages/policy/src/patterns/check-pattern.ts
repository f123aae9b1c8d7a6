import { fail, ok, type Result, StewardError } from '@steward/contract'
import { findProblem } from './compile-pattern.ts'

/** Accepts a pattern only if it is a regular expression that can be matched in linear time. */
export const checkPattern = (source: string): Result<string> => {
  const problem = source === '' ? 'is empty, which would match everything' : findProblem(source)
  if (problem === undefined) return ok(source)
  return fail(
    new StewardError('invalid_input', {
      subject: `the pattern ${source.slice(0, 200)}`,
      reason: `it ${problem.replace(/^Invalid regular expression: /, 'is not a regular expression: ')}`,
    }),
  )
}
