import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseJson,
  StewardError,
  typeOf,
} from '@steward/contract'
import type { Io } from '../io.ts'
import { tooLarge } from './collect-text.ts'
import type { ParsedFlags } from './parse-flags.ts'
import { readStdin } from './read-stdin.ts'
import { readTextFile } from './read-text-file.ts'

export interface InputRequest extends ParsedFlags {
  /** `--input`: JSON, `@file` or `-`. */
  input: string | undefined
  /** The declared types of the action's or pipeline's fields. */
  declared: ReadonlyMap<string, string>
}

/**
 * Merges all inputs; later ones win per field: standard input, then JSON text (positional, then
 * `--input`), then `--key value`.
 */
export const gatherInput = async (io: Io, request: InputRequest): Promise<JsonObject> => {
  const { flags, positional, input, declared } = request
  const takesText = [...flags.values()].includes('@-')
  const given = flags.size > 0 || positional !== undefined || input !== undefined
  const need = input === '-' || takesText ? 'wait' : given ? 'other' : 'only'
  const piped = await readStdin(io, need)
  const parts: JsonObject[] = [
    piped === undefined || takesText ? {} : parseObject(piped, 'standard input'),
    positional === undefined ? {} : await readJsonWord(positional, 'the input', io),
    input === undefined || input === '-' ? {} : await readJsonWord(input, '--input', io),
  ]
  const sources = { cwd: io.cwd, stdin: async () => piped ?? '' }
  for (const [key, value] of flags) {
    parts.push({ [key]: await readFlagValue(value, declared.get(key), sources) })
  }
  // By entries, because a field may be named __proto__.
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
}

const readJsonWord = async (word: string, subject: string, io: Io): Promise<JsonObject> => {
  if (!word.startsWith('@')) {
    const bytes = Buffer.byteLength(word)
    if (bytes > LIMITS.inputBytes) throw tooLarge(subject, bytes, LIMITS.inputBytes)
    return parseObject(word, subject)
  }
  const path = word.slice(1)
  const text = await readTextFile(path, io.cwd)
  return parseObject(text, path, `to pass a file's text as a field: --content @${path}`)
}

const parseObject = (text: string, subject: string, hint?: string): JsonObject => {
  const parsed = parseJson(text, subject)
  if (!parsed.ok) {
    if (hint === undefined) throw parsed.error
    const { details } = parsed.error
    throw new StewardError('invalid_json', {
      ...details,
      subject,
      reason: `${details.reason}\n  ${hint}`,
    })
  }
  if (isJsonObject(parsed.value)) return parsed.value
  const reason = `must be a JSON object such as {"content": "…"}, found ${typeOf(parsed.value)}`
  throw new StewardError('invalid_input', { subject, reason })
}

interface FlagSources {
  cwd: string
  stdin: () => Promise<string>
}

/**
 * Parses the value of `--key`. `@path` is the text of a file and `@-` standard input; `@@` escapes
 * a leading @. Anything else is parsed as JSON if possible, unless the field is declared as a
 * string: then `--title 2024` stays text.
 */
const readFlagValue = async (
  value: string | true,
  declaredType: string | undefined,
  sources: FlagSources,
): Promise<unknown> => {
  if (value === true) return true
  if (value === '@-') return sources.stdin()
  if (value.startsWith('@@')) return value.slice(1)
  if (value.startsWith('@') && value.length > 1) return readTextFile(value.slice(1), sources.cwd)
  const parsed = parseIfJson(value)
  return declaredType === 'string' && typeof parsed !== 'string' ? value : parsed
}

const parseIfJson = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}
