import { LIMITS, parseJson, unwrap } from '@steward/contract'
import type { CallTokens } from '@steward/models'
import { z } from 'zod'
import {
  type AskOptions,
  MODEL_STOPS,
  type ModelBlock,
  type ModelReply,
  modelBlock,
} from './model.ts'
import { ModelFailure } from './model-failure.ts'

const count = z.number().nonnegative().nullish()
const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish(),
})
const refusal = z.object({ category: z.string().nullish(), explanation: z.string().nullish() })
const streamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: modelBlock,
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.looseObject({ type: z.string() }),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({
      stop_reason: z.enum(MODEL_STOPS).nullish(),
      stop_details: refusal.nullish(),
    }),
    usage: usage.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
])
type StreamEvent = z.infer<typeof streamEvent>

const deltas = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('citations_delta'), citation: z.unknown() }),
])

interface OpenBlock {
  block: ModelBlock
  /** The input of a call so far, as JSON text. */
  json: string
  /** Its index among the texts, once it has any text. */
  textIndex: number | null
}

/** Reads the events of a Messages stream into a complete answer. */
export const readMessageStream = async (
  events: AsyncIterable<unknown>,
  { onDelta, onUsage }: Pick<AskOptions, 'onDelta' | 'onUsage'>,
): Promise<ModelReply> => {
  const blocks = new Map<number, OpenBlock>()
  const tokens: CallTokens = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  }
  let stop: ModelReply['stop'] | undefined
  let refused: ModelReply['refusal']
  let texts = 0
  let complete = false

  const take = (event: StreamEvent): void => {
    if (event.type === 'message_start') {
      recordUsage(tokens, event.message.usage)
      onUsage?.({ ...tokens })
    }
    if (event.type === 'message_stop') complete = true
    if (event.type === 'message_delta') {
      stop = event.delta.stop_reason ?? stop
      const { stop_details: details } = event.delta
      if (details) {
        const { category = null, explanation = null } = details
        refused = { category, explanation }
      }
      if (event.usage) {
        recordUsage(tokens, event.usage)
        onUsage?.({ ...tokens })
      }
    }
    if (event.type === 'content_block_start') {
      blocks.set(event.index, { block: event.content_block, json: '', textIndex: null })
      if (isThinking(event.content_block)) onDelta({ type: 'thinking' })
    }
    if (event.type === 'content_block_delta') {
      const open = blocks.get(event.index)
      const delta = deltas.safeParse(event.delta)
      if (open === undefined || !delta.success) return
      if (delta.data.type === 'text_delta' && delta.data.text !== '') {
        open.textIndex ??= texts++
        onDelta({ type: 'text', index: open.textIndex, text: delta.data.text })
      }
      grow(open, delta.data)
    }
  }

  for await (const event of events) {
    const read = streamEvent.safeParse(event)
    if (read.success) take(read.data)
  }
  if (!complete || stop === undefined)
    throw new ModelFailure('failed', "the model's answer was cut off")
  const cut = stop === 'max_tokens'
  const content = [...blocks.values()].flatMap((open) => closeBlock(open, cut))
  return { content, stop, usage: tokens, ...(refused === undefined ? {} : { refusal: refused }) }
}

const isThinking = ({ type }: ModelBlock): boolean =>
  type === 'thinking' || type === 'redacted_thinking'

/** Counts are running totals, so a later one replaces an earlier one. */
const recordUsage = (tokens: CallTokens, read: z.infer<typeof usage>): void => {
  tokens.input = read.input_tokens ?? tokens.input
  tokens.output = read.output_tokens ?? tokens.output
  tokens.cacheRead = read.cache_read_input_tokens ?? tokens.cacheRead
  const { cache_creation: split, cache_creation_input_tokens: whole } = read
  tokens.cacheWrite1h = split?.ephemeral_1h_input_tokens ?? tokens.cacheWrite1h
  if (split) tokens.cacheWrite5m = split.ephemeral_5m_input_tokens ?? tokens.cacheWrite5m
  else if (whole != null) tokens.cacheWrite5m = whole - tokens.cacheWrite1h
}

const grow = (open: OpenBlock, delta: z.infer<typeof deltas>): void => {
  const { block } = open
  switch (delta.type) {
    case 'text_delta':
      block.text = `${block.text ?? ''}${delta.text}`
      return
    case 'thinking_delta':
      block.thinking = `${block.thinking ?? ''}${delta.thinking}`
      return
    case 'signature_delta':
      block.signature = delta.signature
      return
    case 'input_json_delta':
      open.json += delta.partial_json
      return
    case 'citations_delta':
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation]
  }
}

/** A call that was cut off has unparsable input, so it is dropped. */
const closeBlock = ({ block, json }: OpenBlock, cut: boolean): ModelBlock[] => {
  if (json === '') return [block]
  try {
    const input = unwrap(parseJson(json, 'the input', LIMITS.jsonDepth))
    return [{ ...block, input: z.record(z.string(), z.unknown()).parse(input) }]
  } catch (thrown) {
    if (cut) return []
    throw new ModelFailure('unusable', `the model called ${String(block.name)} with invalid JSON`, {
      cause: thrown,
    })
  }
}
