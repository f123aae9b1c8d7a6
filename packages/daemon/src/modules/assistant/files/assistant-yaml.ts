import { LIMITS, StewardError } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { type Document, LineCounter, visit } from 'yaml'

/** Deeper than any file of ours, and far from what a parser cannot take. */
const DEEPEST = 20

export const unreadable = (file: string, reason: string, cause?: unknown): StewardError =>
  new StewardError('assistant_unreadable', { file, reason }, cause)

/** A YAML file of the assistant with its comments. Aliases and absurd nesting are refused. */
export const parseYaml = (text: string, file: string): Document => {
  if (text.length > LIMITS.assistantFileBytes) throw unreadable(file, 'it is too long')
  const openings = /[[{]\s*(?:[[{]\s*){19}/.test(text) || /^(?: {2,}|- ){60}/m.test(text)
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
      throw unreadable(file, 'aliases (*name) are not taken here')
    },
    Collection: (_key, _value, path) => {
      if (path.length > DEEPEST * 2) throw unreadable(file, 'it is nested too deeply')
    },
  })
  return document
}

/** As text again; lines are not wrapped, so that a change stays small. */
export const renderYaml = (document: Document): string => document.toString({ lineWidth: 0 })
