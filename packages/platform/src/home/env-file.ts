import { readFile } from 'node:fs/promises'
import { fail, ok, type Result, reasonOf, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'

/**
 * Reads a `.env` file. A missing one is empty; every malformed line is reported with its number.
 */
export const readEnvFile = async (path: string): Promise<Result<Record<string, string>>> => {
  try {
    return parseEnv(await readFile(path, 'utf8'), path)
  } catch (thrown) {
    if (isMissing(thrown)) return ok({})
    return fail(
      new StewardError('invalid_definition', { file: path, reason: reasonOf(thrown) }, thrown),
    )
  }
}

/**
 * `KEY=VALUE` lines, optionally with `export`. Single quotes keep everything, double quotes support
 * `\n`, `\t`, `\r`, `\"`, `\\` and `\$` and may span lines, and ` #` starts a comment after an
 * unquoted value. Nothing is expanded. The last of two lines with the same name wins.
 */
export const parseEnv = (text: string, file: string): Result<Record<string, string>> => {
  const variables = new Map<string, string>()
  const mistakes: string[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]?.trim() ?? ''
    if (line === '' || line.startsWith('#')) continue
    const assignment = ASSIGNMENT.exec(line)
    const name = assignment?.groups?.name
    if (name === undefined) {
      mistakes.push(`line ${index + 1}: ${describeMalformed(line)}`)
      continue
    }
    const value = readValue(lines, index, assignment?.groups?.value ?? '')
    if ('mistake' in value) {
      mistakes.push(`line ${index + 1}: ${name}: ${value.mistake}`)
      continue
    }
    index = value.lastLine
    variables.set(name, value.text)
  }
  if (mistakes.length > 0) {
    return fail(
      new StewardError('invalid_definition', { file, reason: mistakes.join('; '), mistakes }),
    )
  }
  return ok(Object.fromEntries(variables))
}

const ASSIGNMENT = /^(?:export\s+)?(?<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?<value>.*)$/s
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/** Describes the error without repeating the line, which may contain a secret. */
const describeMalformed = (line: string): string => {
  if (!line.includes('=')) return 'expected NAME=value, and there is no ='
  return 'the name before = must be letters, digits and _, and must not start with a digit'
}

type Value = { text: string; lastLine: number } | { mistake: string }

const readValue = (lines: readonly string[], index: number, value: string): Value => {
  const quote = value.charAt(0)
  if (quote !== '"' && quote !== "'") {
    return { text: value.replace(/(^|\s+)#.*$/, '').trimEnd(), lastLine: index }
  }
  let body = value.slice(1)
  for (let lastLine = index; ; ) {
    const end = closingQuote(body, quote)
    if (end !== -1) {
      const rest = body.slice(end + 1).trim()
      if (rest !== '' && !rest.startsWith('#')) return { mistake: 'text after the closing quote' }
      const text = body.slice(0, end)
      return { text: quote === '"' ? unescapeDouble(text) : text, lastLine }
    }
    lastLine++
    const next = lines[lastLine]
    if (next === undefined) return { mistake: `the quote ${quote} is not closed` }
    body += `\n${next}`
  }
}

const closingQuote = (body: string, quote: string): number => {
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '\\' && quote === '"') at++
    else if (body[at] === quote) return at
  }
  return -1
}

const unescapeDouble = (text: string): string =>
  text.replace(/\\([nrt"\\$])/g, (_, char: string) => ESCAPES[char] ?? char)
