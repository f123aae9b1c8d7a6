import { StewardError } from '@steward/contract'

/**
 * Any `--key` may be an input field, so a mistyped option would run as one. A key that no action
 * declares and that is an option but for one letter or their order is taken for the slip that it is.
 */
export const checkOptionSlips = (
  keys: Iterable<string>,
  declared: ReadonlyMap<string, string>,
  options: readonly string[],
): void => {
  for (const key of keys) {
    if (declared.has(key)) continue
    const meant = options.find((option) => isSlipOf(key, option))
    if (meant === undefined) continue
    throw new StewardError('invalid_input', {
      subject: `--${key}`,
      reason: `unknown option (did you mean --${meant}?)`,
      field: key,
    })
  }
}

const isSlipOf = (key: string, option: string): boolean =>
  key !== option &&
  (sorted(key) === sorted(option) || lacksOne(key, option) || lacksOne(option, key))

const sorted = (word: string): string => [...word].sort().join('')

/** Whether `short` is `long` without one of its letters. */
const lacksOne = (short: string, long: string): boolean =>
  long.length === short.length + 1 &&
  [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short)
