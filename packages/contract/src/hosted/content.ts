import { z } from 'zod'

/** Text, images, documents and search results in messages and tool results. */
const base64 = z.object({
  type: z.literal('base64'),
  media_type: z.string().min(1).max(255),
  data: z.string(),
})
const address = z.object({ type: z.literal('url'), url: z.url().max(8192) })
const uploaded = z.object({ type: z.literal('file'), file_id: z.string().min(1).max(128) })
const plainText = z.object({
  type: z.literal('text'),
  media_type: z.literal('text/plain'),
  data: z.string(),
})

export const textContent = z.object({ type: z.literal('text'), text: z.string() })
export const imageContent = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64, address, uploaded]),
})
export const documentContent = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [base64, plainText, address, uploaded]),
  title: z.string().nullish(),
  context: z.string().nullish(),
})
export const searchResultContent = z.object({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textContent),
  citations: z.object({ enabled: z.boolean() }).default({ enabled: false }),
})
export const redactedContent = z.object({ type: z.literal('redacted') })

/** Content of a person's message. */
export const messageContent = z
  .discriminatedUnion('type', [textContent, imageContent, documentContent, redactedContent])
  .meta({ id: 'MessageContent' })
/** Content of a tool result. */
export const toolResultContent = z
  .discriminatedUnion('type', [textContent, imageContent, documentContent, searchResultContent])
  .meta({ id: 'ToolResultContent' })
/** Content of an agent message. */
export const agentContent = z.discriminatedUnion('type', [textContent, redactedContent])

export const hostedContent = z.discriminatedUnion('type', [
  textContent,
  imageContent,
  documentContent,
  searchResultContent,
  redactedContent,
])
export type HostedContent = z.infer<typeof hostedContent>
export type TextContent = z.infer<typeof textContent>
export type MessageContent = z.infer<typeof messageContent>
export type ToolResultContent = z.infer<typeof toolResultContent>
export type AgentContent = z.infer<typeof agentContent>
