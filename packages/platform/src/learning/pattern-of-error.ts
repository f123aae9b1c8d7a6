const LONGEST_ERROR = 1000
const LONGEST_PATTERN = 200

/**
 * Each removes one kind of variable part; the order matters, because a path may contain numbers.
 */
const PARTS: ReadonlyArray<[RegExp, string]> = [
  // ANSI escape sequences.
  [/\p{Cc}\[[\d;?]*[ -/]*[@-~]/gu, ''],
  [/[a-z][a-z\d+.-]{0,20}:\/\/[^\s'"`<>)\]]+/gi, '<url>'],
  [/(?<!\w)(["'`])(?:(?!\1)[^\n]){1,300}\1(?!\w)/g, '<text>'],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  [/(?:~|\.{1,2}|\b[A-Za-z]:)?(?:[\\/][\w.@%+~-]+)+[\\/]?(?::\d+)*/g, '<path>'],
  [/\b[\w-]+\.[A-Za-z]{1,5}:\d+(?::\d+)?/g, '<path>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [
    /\b(?:0x[\da-f]+|(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,}|[A-Za-z]+_[\dA-Za-z]{12,})\b/gi,
    '<id>',
  ],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** An error without its variable parts, so that the same failure always looks the same. */
export const patternOfError = (error: string): string => {
  const start = error.slice(0, LONGEST_ERROR)
  const pattern = PARTS.reduce((text, [part, name]) => text.replace(part, name), start).trim()
  if (pattern === '') return '(no message)'
  return pattern.length <= LONGEST_PATTERN ? pattern : `${pattern.slice(0, LONGEST_PATTERN - 1)}…`
}
