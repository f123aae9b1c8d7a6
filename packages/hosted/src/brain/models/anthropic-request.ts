import type { ModelBlock, ModelMessage, ModelRequest } from './model.ts'
import { hostedTraitsOf } from './model-traits.ts'

const CACHED = { cache_control: { type: 'ephemeral' } } as const

/** Kinds of blocks that cannot be marked for the cache. */
const UNMARKABLE: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/**
 * The body of a Messages request. System, tools and the two newest user messages are marked for the
 * cache, so that the next request reads all but its last step from it.
 */
export const toAnthropicBody = (request: ModelRequest): Readonly<Record<string, unknown>> => {
  const { model, system, tools } = request
  const { answer, thinks } = hostedTraitsOf(model.id)
  return {
    model: model.id,
    max_tokens: answer,
    stream: true,
    ...(system ? { system: [{ type: 'text', text: system, ...CACHED }] } : {}),
    ...(tools.length > 0 ? { tools: toTools(request) } : {}),
    ...(thinks ? { thinking: { type: 'adaptive' } } : {}),
    ...(model.effort ? { output_config: { effort: model.effort.type } } : {}),
    ...(model.speed === 'fast' ? { speed: 'fast' } : {}),
    ...(model.inference_geo ? { inference_geo: model.inference_geo } : {}),
    messages: markNewest(request.messages.map(withoutForeign)),
  }
}

const toTools = ({ tools }: ModelRequest): readonly unknown[] =>
  tools.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: inputSchema,
    ...(index === tools.length - 1 ? CACHED : {}),
  }))

/** Reasoning of another provider has no signature, so this one would reject it. */
const withoutForeign = ({ role, content }: ModelMessage): ModelMessage => ({
  role,
  content: content.filter(({ type }) => type !== 'reasoning'),
})

const MARKED_MESSAGES = 2

const markNewest = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  let left = MARKED_MESSAGES
  return messages
    .toReversed()
    .map((message) => {
      if (left === 0 || message.role !== 'user') return message
      left -= 1
      return { ...message, content: markLast(message.content) }
    })
    .toReversed()
}

const markLast = (content: readonly ModelBlock[]): readonly ModelBlock[] =>
  content.map((block, index) =>
    index === content.length - 1 && !UNMARKABLE.has(block.type) ? { ...block, ...CACHED } : block,
  )
