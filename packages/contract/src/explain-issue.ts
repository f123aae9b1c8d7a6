import { z } from 'zod'
import { isJsonObject } from './is-json-object.ts'
import { typeOf } from './json.ts'
import { nearestHint } from './nearest.ts'

/**
 * Error messages that name the expected and the actual value. Registered with zod once, here, so
 * that all schemas use the same words; a schema's own message takes precedence.
 */
const explainIssue = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return explainType([issue.expected], issue.input)
    case 'invalid_value':
      return explainChoice(issue.values, issue.input)
    case 'invalid_union':
      return explainUnion(issue)
    case 'too_small':
      return explainBound('at least', 'more than', issue.minimum, issue)
    case 'too_big':
      return explainBound('at most', 'less than', issue.maximum, issue)
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}, found ${preview(issue.input)}`
    case 'unrecognized_keys':
      return issue.keys.map((key) => explainUnknownKey(key, issue.inst)).join('\n')
    default:
      return undefined
  }
}

/** One line per key: zod reports all unknown keys of an object as one issue. */
const explainUnknownKey = (key: string, schema: unknown): string => {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return `unknown key${nearestHint(key, known)}`
}

/** The types of a union's branches, if every branch failed only on the type. */
export const typesOfUnion = (
  branches: readonly (readonly z.core.$ZodIssue[])[],
): string[] | undefined => {
  const types = branches.flatMap((branch) =>
    branch.flatMap((issue) =>
      issue.code === 'invalid_type' && issue.path.length === 0 ? [issue.expected] : [],
    ),
  )
  const issues = branches.reduce((sum, branch) => sum + branch.length, 0)
  return types.length > 0 && types.length === issues ? types : undefined
}

const NOUNS: Record<string, string> = {
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'an array',
}
const FORMATS: Record<string, string> = {
  email: 'an email address',
  datetime: 'a date and time such as 2026-01-31T09:00:00Z',
  url: 'a URL',
}

const explainType = (expected: readonly string[], found: unknown): string => {
  const nouns = new Set(expected.map((type) => NOUNS[type] ?? `a ${type}`))
  const wanted = [...nouns].join(' or ')
  if (found === undefined) return `is required (${wanted})`
  const shown = typeof found === 'number' ? String(found) : typeOf(found)
  return `must be ${wanted}, found ${shown}`
}

const explainChoice = (values: readonly unknown[], found: unknown): string => {
  const wanted =
    values.length === 1 ? preview(values[0]) : `one of ${values.map(String).join(', ')}`
  if (found === undefined) return `is required (${wanted})`
  const names = values.filter((value) => typeof value === 'string')
  const hint = typeof found === 'string' && names.length > 1 ? nearestHint(found, names) : ''
  return `must be ${wanted}; found ${preview(found)}${hint}`
}

const explainUnion = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) => {
  if (issue.discriminator !== undefined && Array.isArray(issue.options)) {
    const found = isJsonObject(issue.input) ? issue.input[issue.discriminator] : undefined
    return explainChoice(issue.options, found)
  }
  const types = typesOfUnion(issue.errors ?? [])
  return types === undefined ? undefined : explainType(types, issue.input)
}

const explainBound = (
  inclusiveWord: string,
  exclusiveWord: string,
  bound: number | bigint,
  issue: { origin: string; inclusive?: boolean; input?: unknown },
): string => {
  const word = issue.inclusive === false ? exclusiveWord : inclusiveWord
  if (issue.origin === 'string' || issue.origin === 'array') {
    if (inclusiveWord === 'at least' && bound === 1) return 'must not be empty'
    const unit = issue.origin === 'string' ? 'characters' : 'entries'
    return `must have ${word} ${bound} ${unit}`
  }
  return `must be ${word} ${bound}, found ${preview(issue.input)}`
}

const PREVIEW_CHARS = 60

const preview = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS - 1)}…` : text
}

z.config({ customError: explainIssue })
