import { StewardError } from '@steward/contract'

export interface ParsedFlags {
  /** `--key value` as written; a flag without a value is `true`. */
  flags: Map<string, string | true>
  /** The input as one JSON text, if given as a positional argument. */
  positional: string | undefined
}

/**
 * Parses the words after NAME: at most one JSON text, and any `--key value`, `--key=value` or
 * `--flag`.
 */
export const parseFlags = (words: readonly string[]): ParsedFlags => {
  const flags = new Map<string, string | true>()
  let positional: string | undefined
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (!word.startsWith('--') || word === '--') {
      if (word === '--') continue
      if (positional !== undefined) throw unexpected(word)
      positional = word
      continue
    }
    const { key, value } = splitFlag(word)
    if (key === '') throw unexpected(word)
    const next = words[index + 1]
    if (value !== undefined) {
      flags.set(key, value)
    } else if (next !== undefined && !next.startsWith('--')) {
      flags.set(key, next)
      index++
    } else {
      flags.set(key, true)
    }
  }
  return { flags, positional }
}

const splitFlag = (word: string): { key: string; value: string | undefined } => {
  const equals = word.indexOf('=')
  if (equals === -1) return { key: word.slice(2), value: undefined }
  return { key: word.slice(2, equals), value: word.slice(equals + 1) }
}

const unexpected = (word: string) =>
  new StewardError('invalid_input', {
    subject: 'the command line',
    reason: `${preview(word)} is unexpected; the input is one JSON object, and single fields are --key value`,
  })

const PREVIEW_CHARS = 60

const preview = (word: string): string =>
  JSON.stringify(word.length > PREVIEW_CHARS ? `${word.slice(0, PREVIEW_CHARS)}…` : word)
