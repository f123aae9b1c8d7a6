import {
  describeIssues,
  fail,
  issuesOf,
  type ObserverPolicy,
  observerPolicy,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { parseDocument } from 'yaml'

const MAX_CHARS = 100_000

/** Reads a policy file. What is wrong names the key; aliases are refused, they have no use here. */
export const parseObserverPolicy = (text: string, file: string): Result<ObserverPolicy> => {
  const refuse = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  if (text.length > MAX_CHARS) return refuse(`it is longer than ${MAX_CHARS} characters`)
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) return refuse(error.message.split('\n')[0] ?? 'it is no YAML')
  let content: unknown
  try {
    content = document.toJS({ maxAliasCount: 0 }) ?? {}
  } catch {
    return refuse('aliases (*name) are not supported')
  }
  const parsed = observerPolicy.safeParse(content)
  return parsed.success ? ok(parsed.data) : refuse(describeIssues(issuesOf(parsed.error)))
}
