import {
  describeIssuesAt,
  fail,
  issuesOf,
  type ObserverPolicy,
  observerPolicy,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { lineInYaml, parseYamlDocument } from '@steward/contract/yaml'

const MAX_CHARS = 100_000

/**
 * Parses a policy file. Errors name the key; aliases are rejected because they have no use here.
 */
export const parseObserverPolicy = (text: string, file: string): Result<ObserverPolicy> => {
  const refuse = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  if (text.length > MAX_CHARS) return refuse(`it is longer than ${MAX_CHARS} characters`)
  const document = parseYamlDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) return refuse(error.message.split('\n')[0] ?? 'it is not valid YAML')
  let content: unknown
  try {
    content = document.toJS({ maxAliasCount: 0 }) ?? {}
  } catch {
    return refuse('aliases (*name) are not allowed')
  }
  const parsed = observerPolicy.safeParse(content)
  return parsed.success
    ? ok(parsed.data)
    : refuse(describeIssuesAt(issuesOf(parsed.error), lineInYaml(text)))
}
