/** English number words that people use in schedules. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    a: 1,
    an: 1,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    twelve: 12,
    fifteen: 15,
    twenty: 20,
    thirty: 30,
    half: 0.5,
    other: 2,
  }),
)

export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const

export const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const

/** `mon`, `mondays`, `tues` are days too; the shortest form is three letters. */
export const findDay = (word: string): number | undefined => findName(word, WEEKDAYS)

/** From 1. */
export const findMonth = (word: string): number | undefined => {
  const index = findName(word, MONTHS)
  return index === undefined ? undefined : index + 1
}

const findName = (word: string, names: readonly string[]): number | undefined => {
  if (word.length < 3) return undefined
  const index = names.findIndex((name) => name.startsWith(word) || `${name}s` === word)
  return index === -1 ? undefined : index
}

/** The default hour for a part of the day. */
export const DAY_PARTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ morning: 9, noon: 12, afternoon: 15, evening: 18, night: 21, midnight: 0 }),
)
