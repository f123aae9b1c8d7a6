import {
  describeIssuesAt,
  fail,
  issuesOf,
  ok,
  type Result,
  type RoutingTable,
  routingTable,
  StewardError,
} from '@steward/contract'
import { lineInYaml, parseYamlDocument } from '@steward/contract/yaml'

const MAX_TABLE_CHARS = 1_000_000

export const parseTable = (text: string, file: string): Result<RoutingTable> => {
  const refuse = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  if (text.length > MAX_TABLE_CHARS) return refuse(`longer than ${MAX_TABLE_CHARS} characters`)
  const document = parseYamlDocument(text)
  const [error] = document.errors
  if (error !== undefined) return refuse(error.message.split('\n')[0] ?? 'not readable as YAML')
  const parsed = routingTable.safeParse(document.toJS({ maxAliasCount: 0 }) ?? {})
  return parsed.success
    ? ok(parsed.data)
    : refuse(describeIssuesAt(issuesOf(parsed.error), lineInYaml(text)))
}
