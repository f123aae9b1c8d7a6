import { readTextFile } from './read-text-file.ts'

export interface FlagSources {
  cwd: string
  stdin: () => Promise<string>
}

/**
 * What `--key value` means. `@path` is the text of a file and `@-` that of standard input; `@@`
 * starts a value with one @. Anything else is JSON where it can be read as such, unless the field
 * is declared a string: then `--title 2024` stays text.
 */
export const readFlagValue = async (
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
