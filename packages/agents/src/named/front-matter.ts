import {
  describeIssuesAt,
  fail,
  issuesOf,
  ok,
  type Result,
  type Schema,
  StewardError,
  splitFrontMatter,
} from '@steward/contract'
import { lineInYaml, parseYamlDocument } from '@steward/contract/yaml'
import { stringify } from 'yaml'

const MAX_CHARS = 1_000_000

/** Parses a Markdown file with YAML front matter and validates its fields against a schema. */
export const parseFrontMatter = <T>(
  text: string,
  schema: Schema<T>,
  file: string,
): Result<{ fields: T; body: string }> => {
  const refuse = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  if (text.length > MAX_CHARS) return refuse(`longer than ${MAX_CHARS} characters`)
  const { head, bodyStart } = splitFrontMatter(text)
  if (head === undefined) return refuse('it must begin with front matter between two lines of ---')
  const document = parseYamlDocument(head.text)
  const [error] = document.errors
  if (error !== undefined) return refuse(error.message.split('\n')[0] ?? 'not readable as YAML')
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 0 }) ?? {})
  if (!parsed.success) {
    const lineOf = lineInYaml(head.text)
    // The first line of the file is `---`.
    const lineInFile = (path: string) => (lineOf(path) ?? 0) + 1
    return refuse(describeIssuesAt(issuesOf(parsed.error), lineInFile))
  }
  return ok({ fields: parsed.data, body: text.slice(bodyStart).trim() })
}

/** The inverse of `parseFrontMatter`. */
export const renderFrontMatter = (fields: object, body: string): string =>
  `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body.trim()}\n`
