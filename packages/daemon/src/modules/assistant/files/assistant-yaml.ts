import { LIMITS, StewardError } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { type Document, LineCounter, visit } from 'yaml'

/** Deeper than any of our files, but safe for the parser. */
const DEEPEST = 20

export const unreadable = (file: string, reason: string, cause?: unknown): StewardError =>
  new StewardError('assistant_unreadable', { file, reason }, cause)

const DEEPEST_INDENT = 60
const INDENT = / {2,}|- /y

/** Whether a line begins with as many levels of indentation, which takes the parser very long. */
const isDeep = (line: string): boolean => {
  let levels = 0
  INDENT.lastIndex = 0
  for (let found = INDENT.exec(line); found !== null; found = INDENT.exec(line)) {
    levels += Math.floor(found[0].length / 2)
  }
  return levels >= DEEPEST_INDENT
}

/**
 * Parses a YAML file of the assistant, keeping its comments. Aliases and excessive nesting are
 * refused.
 */
export const parseYaml = (text: string, file: string): Document => {
  if (text.length > LIMITS.assistantFileBytes) throw unreadable(file, 'it is too long')
  const openings = /[[{]\s*(?:[[{]\s*){19}/.test(text) || text.split('\n').some(isDeep)
  if (openings) throw unreadable(file, 'it is nested too deeply')
  const lines = new LineCounter()
  const document: Document = parseYamlDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0])
    throw unreadable(file, `line ${line}: ${error.message.split('\n')[0]}`)
  }
  visit(document, {
    Alias: () => {
      throw unreadable(file, 'aliases (*name) are not supported')
    },
    Collection: (_key, _value, path) => {
      if (path.length > DEEPEST * 2) throw unreadable(file, 'it is nested too deeply')
    },
  })
  return document
}

/** Serialises without wrapping lines, so that a change produces a small diff. */
export const renderYaml = (document: Document): string => document.toString({ lineWidth: 0 })
