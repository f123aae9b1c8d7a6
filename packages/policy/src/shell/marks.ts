/**
 * What a word may hold besides text: characters of the private use area that stand for what a shell
 * would put there. Texts with such marks are compared as patterns, never as names.
 */
export const MARK = {
  /** `*` of a file pattern: anything but a slash. */
  star: '\uE000',
  /** `?` or `[…]` of a file pattern: one character. */
  one: '\uE001',
  /** Anything below a known directory. */
  deep: '\uE002',
  /** Something that only the running shell knows. */
  unknown: '\uE003',
  /** The same, known to be one word without a slash: a date, a number, a name. */
  segment: '\uE004',
  /** Text that was made unreadable on purpose and is unpacked by the command itself. */
  decoded: '\uE005',
  /** Text that comes from the network. */
  remote: '\uE006',
  /** What the environment holds, secrets and all. */
  secret: '\uE008',
  /** Where an unquoted expansion is split into words. */
  split: '\uE007',
} as const

const ALL = /[\uE000-\uE008]/g
const UNRESOLVED = /[\uE003\uE005\uE006\uE008]/

/** The marks are ours alone: the same characters in what a person typed become plain ones. */
export const withoutMarks = (text: string): string => text.replace(ALL, '\uFFFD')

export const isUnresolved = (text: string): boolean => UNRESOLVED.test(text)

export const isPlain = (text: string): boolean => text.search(ALL) === -1

const SHOWN: Record<string, string> = {
  [MARK.star]: '*',
  [MARK.one]: '?',
  [MARK.deep]: '**',
  [MARK.split]: ' ',
  [MARK.segment]: '<value>',
}

/** A marked text as a person would write it. */
export const showMarked = (text: string): string =>
  text.replace(ALL, (mark) => SHOWN[mark] ?? '<unknown>')
