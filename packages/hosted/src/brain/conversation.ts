import { hostedContent } from '@steward/contract'
import { z } from 'zod'
import type { StoredEvent } from '../database/stored-event.ts'
import type { InputPart, LogView, ToolUse } from './log-view.ts'
import { type ModelBlock, type ModelMessage, modelBlock } from './models/model.ts'

const contents = z.array(hostedContent)
const rubricOf = z.object({
  description: z.string(),
  rubric: z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.literal('file'), file_id: z.string() }),
  ]),
})

const text = (words: string): ModelBlock => ({ type: 'text', text: words })

/** Converts content for a model, which rejects empty texts and does not know redacted ones. */
const toBlocks = (content: unknown): ModelBlock[] =>
  contents.parse(content ?? []).flatMap((block): ModelBlock[] => {
    if (block.type === 'redacted') return [text('[redacted]')]
    return block.type === 'text' && block.text.trim() === '' ? [] : [block]
  })

/** Converts a client's event into input for the model. */
export const toInput = ({ type, body }: StoredEvent): InputPart => {
  if (type === 'system.message') return { role: 'system', content: toBlocks(body.content) }
  if (type === 'agent.thread_message_received')
    return { role: 'user', content: [text(nameSender(body)), ...toBlocks(body.content)] }
  if (type !== 'user.define_outcome') return { role: 'user', content: toBlocks(body.content) }
  const { description, rubric } = rubricOf.parse(body)
  const task = `Work until this outcome is reached; it will be judged by the rubric below.\n\n${description}\n\nRubric:`
  return {
    role: 'user',
    content:
      rubric.type === 'text'
        ? [text(`${task}\n${rubric.content}`)]
        : [text(task), { type: 'document', source: { type: 'file', file_id: rubric.file_id } }],
  }
}

const sender = z.object({
  from_session_thread_id: z.string(),
  from_agent_name: z.string().nullish(),
})

const nameSender = (body: StoredEvent['body']): string => {
  const { from_session_thread_id: thread, from_agent_name: name } = sender.parse(body)
  return name ? `[message of ${name}, thread ${thread}]` : '[message of the coordinator]'
}

export const toResultBlock = (
  use: Pick<ToolUse, 'callId'>,
  content: unknown,
  isError: boolean,
): ModelBlock => {
  const blocks = toBlocks(content)
  return {
    type: 'tool_result',
    tool_use_id: use.callId,
    ...(blocks.length > 0 ? { content: blocks } : {}),
    ...(isError ? { is_error: true } : {}),
  }
}

const GO_ON =
  'Your last answer was cut off because it was too long. Go on from there, in smaller steps.'

/**
 * Input that the model has not answered yet: the results of all its calls first, as its API
 * requires, then the rest in order.
 */
export const unanswered = (view: LogView, more: readonly InputPart[] = []): ModelMessage[] => {
  const results = view.uses.flatMap(({ result }) => (result === null ? [] : [result]))
  const parts: InputPart[] = [{ role: 'user', content: results }, ...view.shown, ...more]
  const messages: { role: 'user' | 'system'; content: ModelBlock[] }[] = []
  for (const { role, content: given } of parts) {
    const content = view.withoutMedia ? given.map(withoutMedia) : given
    if (content.length === 0) continue
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content: [...content] })
  }
  if (messages.length === 0 && view.lastStop === 'max_tokens')
    return [{ role: 'user', content: [text(GO_ON)] }]
  return messages
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document'])
const nested = z.array(modelBlock)

const isMedia = ({ type, content }: ModelBlock): boolean =>
  MEDIA.has(type) || (nested.safeParse(content).data ?? []).some(isMedia)

/** Whether input that the model has not answered has images or documents. */
export const hasNewMedia = (view: LogView): boolean =>
  !view.withoutMedia && unanswered(view).some(({ content }) => content.some(isMedia))

const withoutMedia = (block: ModelBlock): ModelBlock => {
  if (MEDIA.has(block.type))
    return text(`[${block.type} left out: the vendor of the model rejected it]`)
  if (!isMedia(block)) return block
  return { ...block, content: nested.parse(block.content).map(withoutMedia) }
}

/** The whole conversation for the next request. */
export const conversationWith = (
  view: LogView,
  taken: readonly StoredEvent[],
): readonly ModelMessage[] => [...view.messages, ...unanswered(view, taken.map(toInput))]

/** Replaces a conversation that was compacted. */
export const summaryMessage = (summary: string): ModelMessage => ({
  role: 'user',
  content: [text(`The conversation so far was summed up to save room. The summary:\n\n${summary}`)],
})
