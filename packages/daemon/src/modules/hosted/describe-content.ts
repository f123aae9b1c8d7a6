import type { HostedContent } from '@steward/contract'

/** More than fits on a screen; the log has the full text. */
const MOST_CHARACTERS = 20_000

/** Cuts a long text and states how much is missing. */
export const clip = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)}\n… ${text.length - MOST_CHARACTERS} more characters`

/** The text of a message or result; other content is named. */
export const textOf = (content: readonly HostedContent[]): string =>
  clip(content.map(describeBlock).join('\n'))

const describeBlock = (block: HostedContent): string => {
  switch (block.type) {
    case 'text':
      return block.text
    case 'search_result':
      return `${block.title}\n${block.source}\n${block.content.map(({ text }) => text).join('\n')}`
    case 'document':
      return block.source.type === 'text' ? block.source.data : `[document ${block.title ?? ''}]`
    default:
      return `[${block.type}]`
  }
}

/** The one field that describes a call completely. */
const MAIN_FIELDS = ['command', 'file_path', 'pattern', 'url', 'query']

/** The input of a tool: `ls -la`, or the fields as JSON. */
export const describeInput = (input: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries(input)
  const [only] = fields
  if (only === undefined) return ''
  const [name, value] = only
  const saysAll = fields.length === 1 && MAIN_FIELDS.includes(name) && typeof value === 'string'
  return clip(saysAll ? value : JSON.stringify(input, null, 2))
}
