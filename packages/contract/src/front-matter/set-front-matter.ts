import { splitFrontMatter } from './split-front-matter.ts'

export type FrontMatterChanges = Readonly<Record<string, string | readonly string[]>>

/**
 * Sets frontmatter fields; all other lines, including comments and unknown fields, are unchanged.
 * Adds frontmatter if missing.
 */
export const setFrontMatter = (text: string, changes: FrontMatterChanges): string => {
  const { head, eol, bodyStart } = splitFrontMatter(text)
  if (head === undefined) {
    const mark = text.slice(0, bodyStart)
    return `${mark}---${eol}${formatFrontMatter(changes, eol)}---${eol}${eol}${text.slice(bodyStart)}`
  }
  const lines = head.text === '' ? [] : head.text.replace(/\r?\n$/, '').split(/\r?\n/)
  for (const [name, value] of Object.entries(changes)) {
    const at = lines.findIndex((line) => nameOf(line) === name)
    const written = `${name}: ${formatValue(value)}`
    if (at === -1) lines.push(written)
    else lines.splice(at, lengthOf(lines, at), written)
  }
  const written = lines.map((line) => `${line}${eol}`).join('')
  return text.slice(0, head.start) + written + text.slice(head.end)
}

export const formatFrontMatter = (fields: FrontMatterChanges, eol = '\n'): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${formatValue(value)}${eol}`)
    .join('')

/** The number of lines of a field: its line, indented lines and list items. */
const lengthOf = (lines: readonly string[], at: number): number => {
  let end = at + 1
  while (end < lines.length && /^([ \t]+\S|-[ \t])/.test(lines[end] ?? '')) end++
  return end - at
}

/** YAML takes blanks before the colon. */
const nameOf = (line: string): string | undefined => /^([^\s:][^:]*?)[ \t]*:/.exec(line)?.[1]

const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} .()/_+-]*[\p{L}\p{N}.()/_+])?$/u
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Values that other YAML readers do not treat as text. */
const SPECIAL = /^(true|false|yes|no|on|off|null|y|n|[\d.+_-]+(e[\d+-]+)?|0x[\da-f]+)$/i

const formatValue = (value: string | readonly string[]): string =>
  typeof value === 'string' ? formatScalar(value) : `[${value.map(formatScalar).join(', ')}]`

const formatScalar = (text: string): string => {
  if (TIME.test(text) || (PLAIN.test(text) && !SPECIAL.test(text))) return text
  // JSON does not escape these characters, but they end a line in YAML.
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeUnit)
}

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
