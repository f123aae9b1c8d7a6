import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { HostedContent } from '@steward/contract'
import type { ToolOutcome } from '../../hands/hands.ts'

type Block = CallToolResult['content'][number]

const TEXT_CHARS = 100_000
/** In base64 characters; models reject larger images. */
const MEDIA_CHARS = 7_000_000
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** A tool's result in the format of hosted agents. */
export const toOutcome = ({ content, structuredContent, isError }: CallToolResult): ToolOutcome => {
  const given: readonly Block[] =
    content.length === 0 && structuredContent !== undefined
      ? [{ type: 'text', text: JSON.stringify(structuredContent) }]
      : content
  let chars = TEXT_CHARS
  const shown = given.map(toContent).map((block): HostedContent => {
    if (block.type !== 'text') return block
    const text = cut(block.text, chars)
    chars = Math.max(0, chars - block.text.length)
    return { type: 'text', text }
  })
  return { content: shown, isError: isError === true }
}

const text = (words: string): HostedContent & { type: 'text' } => ({ type: 'text', text: words })

const toContent = (block: Block): HostedContent => {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return toMedia(block.mimeType, block.data, 'a picture')
    case 'audio':
      return text(`[audio of type ${block.mimeType}, which is not shown]`)
    case 'resource_link':
      return text(`${block.title ?? block.name}: ${block.uri}`)
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return text(resource.text)
      return toMedia(resource.mimeType ?? 'application/octet-stream', resource.blob, resource.uri)
    }
  }
}

const toMedia = (media_type: string, data: string, what: string): HostedContent => {
  const source = { type: 'base64' as const, media_type, data }
  if (data.length > MEDIA_CHARS) return text(`[${what} of type ${media_type} is too large to show]`)
  if (PICTURES.has(media_type)) return { type: 'image', source }
  if (media_type === 'application/pdf') return { type: 'document', source, title: what }
  return text(`[${what} of type ${media_type}, which is not shown]`)
}

const cut = (words: string, chars: number): string =>
  words.length <= chars
    ? words
    : `${words.slice(0, chars)}\n\n[cut here: ${chars} of ${words.length} characters are shown]`
