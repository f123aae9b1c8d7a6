import type { Shown } from './read-page.ts'

/** What differs from run to run, by the word that takes its place. The order matters. */
const VARIABLE: readonly (readonly [word: string, pattern: RegExp])[] = [
  ['TIME', /\b\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g],
  ['DATE', /\b\d{4}-\d\d-\d\d\b/g],
  ['ID', /\b[0-9a-f]{8}-(?:…|[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)/g],
  ['ID', /\bagent-\d+-\d+\b/g],
  ['ID', /\b(?:agent|sesn|sevt|env)_(?:…|[A-Za-z0-9]{6,})/g],
  ['ID', /(?<=[\w-]-)[0-9a-f]{6}(?:[0-9a-f]{6})?\b/g],
  ['ID', /^[0-9a-f]{12}(?= )/gm],
  ['COMMIT', /(?<=^| · )[0-9a-f]{7,8}(?= |$)/gm],
  ['TOPIC', /\bsteward-[0-9a-z]{16,}\b/g],
  ['PATH', /(?:~|(?<=[\s"'(]|^)\/(?:home\/\w+|tmp\/steward-[\w-]+))(?=[/:]|$|\s)/gm],
  ['ADDRESS', /\b127\.0\.0\.1:\d+/g],
  ['DEPTH', /"queue_depth": ?\d+/g],
  ['$AMOUNT', /\$\d+(?:\.\d+)?/g],
  ['SIZE', /\b\d+(?:\.\d+)? (?:[kMG]?B|bytes?)\b/g],
  ['DURATION', /\b\d+m \d+s\b/g],
  ['DURATION', /\b\d+(?:\.\d+)? ?(?:ms|s|min|h)\b(?: \d+ ?(?:s|min)\b)?/g],
  ['PERCENT', /\b\d+ %/g],
  ['TOKENS', /\b\d[\d,]* tokens\b/g],
  ['TOKENS', /\b\d+(?:\.\d+)?[kM]\b/g],
]

/** A line without the parts that differ, and with single spaces. */
const normalise = (line: string): string =>
  VARIABLE.reduce((text, [word, pattern]) => text.replaceAll(pattern, word), line)
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Terminals add colours and carriage returns; the player adds the commands. */
const linesOf = (output: string): string[] =>
  output
    .replaceAll('npx steward', 'steward')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal prints them
    .replaceAll(/\u001b\[[\d;?]*[A-Za-z]|\r/g, '')
    .split('\n')
    .filter((line) => !/^(?:\+ |== )/.test(line))
    .map(normalise)

/** A shown `…` stands for the rest of a line, and alone for any lines. */
const matches = (line: string, shown: string): boolean => {
  const [start = '', ...rest] = shown.split('…')
  return rest.length === 0
    ? line === shown
    : line.startsWith(start) && line.endsWith(rest.at(-1) ?? '')
}

/** The lines that a page shows as output, and that the real output lacks or has in another order. */
export const missingLines = ({ language, text }: Shown, output: string): string[] => {
  const lines = linesOf(output)
  if (language === 'json') {
    const bare = (value: string) => value.replaceAll(/\s/g, '')
    const isShown = bare(lines.join('')).includes(bare(normalise(text)))
    return isShown ? [] : [text.trim()]
  }
  let from = 0
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => {
      const found = lines.findIndex((each, at) => at >= from && matches(each, normalise(line)))
      if (found !== -1) from = found + 1
      return found === -1
    })
}
