/** Longer messages are cut before processing; the spoken text is much shorter anyway. */
const LONGEST_INPUT_CHARS = 32_768

/**
 * The readable text of Markdown without its marks. Comparisons, prices and ampersands (`a < b`,
 * `$5`, `Q&A`) are kept. Blocks become sentences on one line.
 */
export const stripMarkdown = (markdown: string): string => {
  const text = markdown.slice(0, LONGEST_INPUT_CHARS).toWellFormed().replace(/\r\n?/g, '\n')
  return joinBlocks(withoutFences(text.split('\n')).map(stripLine))
}

const FENCE = /^ {0,3}(```|~~~)/

/** Code is not spoken. An unclosed fence hides the rest, as in rendered Markdown. */
const withoutFences = (lines: readonly string[]): string[] => {
  let open: string | undefined
  return lines.flatMap((line) => {
    const [, mark] = FENCE.exec(line) ?? []
    if (open === undefined) {
      // Inline code may also use three backticks.
      if (mark === undefined || line.trim().slice(3).includes(mark)) return [line]
      open = mark
      return ['']
    }
    if (mark === open) open = undefined
    return []
  })
}

interface Line {
  text: string
  /** A separate block: a heading, a list item, a table row. */
  isBlock: boolean
}

const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const HEADING = /^ {0,3}#{1,6}[ \t]+/
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/
const ROW = /^[ \t]*\|(.*)\|[ \t]*$/

/** Checked cell by cell, because a pattern for the whole line would try every run of blanks. */
const isTableRule = (line: string): boolean => {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
  return cells.length > 1 && cells.every((cell) => /^:?-+:?$/.test(cell.trim()))
}

const stripLine = (line: string): Line => {
  if (RULE.test(line) || isTableRule(line)) return { text: '', isBlock: true }
  const row = ROW.exec(line)?.[1]
  if (row !== undefined) return { text: stripInline(row.replaceAll('|', ', ')), isBlock: true }
  const mark = HEADING.exec(line)?.[0] ?? ITEM.exec(line)?.[0]
  if (mark === undefined) return { text: stripInline(line), isBlock: line.trim() === '' }
  const isHeading = mark.includes('#')
  const rest = line.slice(mark.length)
  return { text: stripInline(isHeading ? rest.replace(/[ \t]#+[ \t]*$/, '') : rest), isBlock: true }
}

/** Each pattern is bounded, so that no message takes long. */
const INLINE: ReadonlyArray<[RegExp, string]> = [
  [/!\[([^[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:\s+"[^"\n]{0,500}")?\)/g, '$1'],
  [/\[([^[\]\n]{1,1000})\]\([^()\s]{0,2000}(?:\s+"[^"\n]{0,500}")?\)/g, '$1'],
  [/\[([^[\]\n]{1,1000})\]\[[^[\]\n]{0,200}\]/g, '$1'],
  [/`{1,3}([^`\n]{1,2000})`{1,3}/g, '$1'],
  [/\*{1,3}(?=\S)([^*\n]{0,2000}[^*\s])\*{1,3}/g, '$1'],
  [/(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])([^_\n]{0,2000}[^_\s])_{1,3}(?![\p{L}\p{N}_])/gu, '$1'],
  [/~~(?=\S)([^~\n]{0,2000}[^~\s])~~/g, '$1'],
]

/**
 * Escaped marks are replaced by private-use characters, which are not spoken, to hide them from the
 * patterns.
 */
const HIDDEN_FROM = 0xe000
const HIDDEN = /[\ue000-\ue07f]/g
const ESCAPED = /\\([\\`*_{}[\]()#+\-.!~|])/g

const stripInline = (text: string): string =>
  INLINE.reduce((rest, [pattern, kept]) => rest.replace(pattern, kept), hideEscaped(text)).replace(
    HIDDEN,
    (letter) => String.fromCharCode(letter.charCodeAt(0) - HIDDEN_FROM),
  )

const hideEscaped = (text: string): string =>
  text
    .replace(HIDDEN, ' ')
    .replace(ESCAPED, (_, mark: string) => String.fromCharCode(mark.charCodeAt(0) + HIDDEN_FROM))

const ENDS_SENTENCE = /[.!?:;,\u2026\u3002\uff01\uff1f]["'\u201d\u2019)]*$/u

const joinBlocks = (lines: readonly Line[]): string => {
  let said = ''
  let isNewBlock = false
  for (const { text, isBlock } of lines) {
    const clean = text.replace(CONTROL, ' ').replace(/\s+/g, ' ').trim()
    if (clean === '') {
      isNewBlock = true
      continue
    }
    if (said !== '') said += (isNewBlock || isBlock) && !ENDS_SENTENCE.test(said) ? '. ' : ' '
    said += clean
    isNewBlock = isBlock
  }
  return said
}

/** Speech engines do not need them, and terminals that show captions would interpret them. */
const CONTROL = /\p{Cc}/gu
