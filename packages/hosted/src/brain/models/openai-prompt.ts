import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { z } from 'zod'
import {
  type ModelBlock,
  type ModelMessage,
  type ModelRequest,
  modelBlock,
  textBlock,
  toolUseBlock,
} from './model.ts'

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]

const mediaBlock = z.looseObject({
  type: z.enum(['image', 'document']),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('text'), data: z.string() }),
  ]),
})
const searchBlock = z.looseObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
})
const resultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.array(modelBlock).optional(),
  is_error: z.boolean().optional(),
})

/**
 * Converts the conversation into the prompt format of the library for OpenAI-compatible servers.
 */
export const toOpenaiPrompt = ({ system, messages }: ModelRequest): LanguageModelV4Prompt => {
  const names = new Map<string, string>()
  const prompt: LanguageModelV4Prompt = system ? [{ role: 'system', content: system }] : []
  for (const message of messages) prompt.push(...toMessages(message, names))
  return prompt
}

const toMessages = (
  { role, content }: ModelMessage,
  names: Map<string, string>,
): LanguageModelV4Message[] => {
  if (role === 'system') return [{ role, content: content.map(toText).join('\n') }]
  if (role === 'assistant') {
    const said = content.flatMap((block) => toAssistantPart(block, names))
    return said.length === 0 ? [] : [{ role, content: said }]
  }
  const results = content.flatMap((block) => toToolPart(block, names))
  const rest = content.flatMap(toUserPart)
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(rest.length === 0 ? [] : [{ role: 'user' as const, content: rest }]),
  ]
}

const toAssistantPart = (block: ModelBlock, names: Map<string, string>): AssistantPart[] => {
  const text = textBlock.safeParse(block)
  if (text.success) return [{ type: 'text', text: text.data.text }]
  const call = toolUseBlock.safeParse(block)
  if (!call.success) return []
  const { id, name, input } = call.data
  names.set(id, name)
  return [{ type: 'tool-call', toolCallId: id, toolName: name, input }]
}

const toToolPart = (block: ModelBlock, names: Map<string, string>): ToolPart[] => {
  const read = resultBlock.safeParse(block)
  if (!read.success) return []
  const { tool_use_id: id, content = [], is_error } = read.data
  const value = content.map(toText).join('\n')
  const output = { type: is_error ? ('error-text' as const) : ('text' as const), value }
  return [{ type: 'tool-result', toolCallId: id, toolName: names.get(id) ?? 'unknown', output }]
}

const toUserPart = (block: ModelBlock): UserPart[] => {
  if (block.type === 'tool_result') return []
  const media = mediaBlock.safeParse(block)
  if (!media.success || media.data.source.type === 'text')
    return [{ type: 'text', text: toText(block) }]
  const { type, source } = media.data
  if (source.type === 'base64') {
    const data = { type: 'data' as const, data: source.data }
    return [{ type: 'file', mediaType: source.media_type, data }]
  }
  const data = { type: 'url' as const, url: new URL(source.url) }
  return [{ type: 'file', mediaType: type === 'image' ? 'image/*' : 'application/pdf', data }]
}

const toText = (block: ModelBlock): string => {
  const text = textBlock.safeParse(block)
  if (text.success) return text.data.text
  const media = mediaBlock.safeParse(block)
  if (media.success && media.data.source.type === 'text') return media.data.source.data
  const found = searchBlock.safeParse(block)
  if (!found.success) return `[${block.type} that this model cannot see]`
  const { title, source, content } = found.data
  return `${title} (${source})\n${content.map(({ text: words }) => words).join('\n')}`
}
