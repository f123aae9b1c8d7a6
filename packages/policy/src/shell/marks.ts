/**
 * Placeholders in words: characters of the private use area for values that only a running shell
 * knows. Texts with marks are compared as patterns, never as names.
 */
export const MARK = {
  /** The `*` of a file pattern: anything except a slash. */
  star: '\uE000',
  /** The `?` or `[…]` of a file pattern: one character. */
  one: '\uE001',
  /** Anything below a known directory. */
  deep: '\uE002',
  /** A value that only the running shell knows. */
  unknown: '\uE003',
  /** An unknown value that is one word without a slash: a date, a number, a name. */
  segment: '\uE004',
  /** Deliberately obfuscated text that the command itself decodes. */
  decoded: '\uE005',
  /** Text from the network. */
  remote: '\uE006',
  /** The content of the environment, including secrets. */
  secret: '\uE008',
  /** A point at which an unquoted expansion is split into words. */
  split: '\uE007',
} as const

const ALL = /[\uE000-\uE008]/g
const UNRESOLVED = /[\uE003\uE005\uE006\uE008]/

/** Replaces these characters in user input, so that input cannot contain marks. */
export const withoutMarks = (text: string): string => text.replace(ALL, '\uFFFD')

export const isUnresolved = (text: string): boolean => UNRESOLVED.test(text)

export const isPlain = (text: string): boolean => text.search(ALL) === -1

/**
 * Replaces `?` and `[…]` of a file pattern by marks. The pattern finds each text without `]` and
 * what ends it: a search for whole classes would read a text of unclosed ones once for each.
 */
export const markClasses = (text: string, untilEnd: RegExp): string =>
  text
    .replace(untilEnd, (whole: string, before: string, end: string) => {
      const start = before.indexOf('[')
      const isClass = end === ']' && start !== -1 && start < before.length - 1
      return isClass ? before.slice(0, start) + MARK.one : whole
    })
    .replaceAll('?', MARK.one)

const SHOWN: Record<string, string> = {
  [MARK.star]: '*',
  [MARK.one]: '?',
  [MARK.deep]: '**',
  [MARK.split]: ' ',
  [MARK.segment]: '<value>',
}

/** Renders a marked text for people. */
export const showMarked = (text: string): string =>
  text.replace(ALL, (mark) => SHOWN[mark] ?? '<unknown>')
