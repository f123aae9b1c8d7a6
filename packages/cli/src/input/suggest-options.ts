import { StewardError } from '@steward/contract'

/**
 * Rejects a likely typo of an option and suggests the option. Any `--key` may be an input field, so a
 * mistyped option would otherwise be passed on as one.
 */
export const suggestOptions = (
  keys: Iterable<string>,
  declared: ReadonlyMap<string, string>,
  options: readonly string[],
): void => {
  for (const key of keys) {
    if (declared.has(key)) continue
    const suggestion = options.find((option) => isTypoOf(key, option))
    if (suggestion === undefined) continue
    throw new StewardError('invalid_input', {
      subject: `--${key}`,
      reason: `unknown option (did you mean --${suggestion}?)`,
      field: key,
    })
  }
}

const isTypoOf = (key: string, option: string): boolean =>
  key !== option &&
  (sorted(key) === sorted(option) || lacksOne(key, option) || lacksOne(option, key))

const sorted = (word: string): string => [...word].sort().join('')

/** Whether `short` is `long` without one of its letters. */
const lacksOne = (short: string, long: string): boolean =>
  long.length === short.length + 1 &&
  [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short)
