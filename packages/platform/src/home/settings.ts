import { readFile } from 'node:fs/promises'
import {
  fail,
  type Issue,
  issuesOf,
  ok,
  parseJson,
  positionsOfJson,
  type Result,
  reasonOf,
  type Settings,
  StewardError,
  settings as settingsSchema,
  type TextPosition,
} from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { readDefaultSettings } from './default-settings.ts'
import type { Home } from './home.ts'

/** Compiling a validator takes longer than a single validation. */
const ONCE = { jitless: true }

/**
 * Reads `settings.json`; a missing file gives the defaults. Every mistake is reported with its
 * line.
 */
export const readSettings = async (home: Pick<Home, 'settings'>): Promise<Result<Settings>> => {
  const file = home.settings
  try {
    return parseSettings(await readFile(file, 'utf8'), file)
  } catch (thrown) {
    if (isMissing(thrown)) return ok(readDefaultSettings())
    return fail(new StewardError('invalid_definition', { file, reason: reasonOf(thrown) }, thrown))
  }
}

export const parseSettings = (text: string, file: string): Result<Settings> => {
  const json = parseJson(text, file)
  if (!json.ok) return json
  const parsed = settingsSchema.safeParse(json.value, ONCE)
  if (parsed.success) return ok(parsed.data)
  const positions = positionsOfJson(text)
  const issues = issuesOf(parsed.error)
  const reason = issues.map((issue) => describeAt(issue, positions)).join('; ')
  return fail(new StewardError('invalid_definition', { file, reason, issues }, parsed.error))
}

const describeAt = (issue: Issue, positions: Map<string, TextPosition>): string => {
  const line = lineOf(issue.path, positions)
  const where = issue.path === '' ? 'the whole file' : issue.path
  return `line ${line}: ${where}: ${issue.message}`
}

/** A missing key has no line, so the nearest enclosing one is used. */
const lineOf = (path: string, positions: Map<string, TextPosition>): number => {
  const position = positions.get(path)
  if (position !== undefined) return position.line
  const above = path.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]*)$/, '')
  return above === '' || above === path ? 1 : lineOf(above, positions)
}
