import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Fetch, isJsonObject, LIMITS, parseJson, unwrap } from '@steward/contract'
import { z } from 'zod'
import { accountOf } from './account-of.ts'
import type { AskOptions, Model, ModelBlock, ModelReply } from './model.ts'
import { ModelFailure } from './model-failure.ts'
import { hostedTraitsOf } from './model-traits.ts'
import { toOpenaiPrompt } from './openai-prompt.ts'
import { connectionFailure, toModelFailure } from './to-model-failure.ts'

export interface OpenaiOptions {
  provider: 'openai' | 'ollama'
  apiKey: string | undefined
  /** The base of `/chat/completions`. */
  baseUrl: string
  fetch: Fetch
  now: () => number
}

/** OpenAI's reasoning models reject `max_tokens`. */
const COMPLETION_TOKENS = /^(gpt-[56]|o\d)/

/** Any server with OpenAI's chat API, streaming. */
export const createOpenaiModel = (options: OpenaiOptions): Model => {
  const { provider, apiKey, baseUrl, fetch, now } = options
  return {
    provider,
    account: accountOf(provider, baseUrl, apiKey),
    free: provider === 'ollama',
    ask: async (request, { signal, onDelta }) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const { id } = request.model
      const model = createOpenAICompatible({
        name: provider,
        ...(apiKey === undefined ? {} : { apiKey }),
        baseURL: baseUrl,
        includeUsage: true,
        fetch: (input, init) => fetch(input instanceof Request ? input.url : input, init),
        transformRequestBody: ({ max_tokens, ...body }) => ({
          ...body,
          [COMPLETION_TOKENS.test(id) ? 'max_completion_tokens' : 'max_tokens']: max_tokens,
        }),
      })(id)
      try {
        const { stream } = await model.doStream({
          prompt: toOpenaiPrompt(request),
          maxOutputTokens: hostedTraitsOf(id).answer,
          abortSignal: signal,
          ...(request.tools.length === 0
            ? {}
            : {
                tools: request.tools.map(({ name, description, inputSchema }) => ({
                  type: 'function' as const,
                  name,
                  description,
                  inputSchema,
                })),
              }),
        })
        return await readParts(stream, onDelta)
      } catch (thrown) {
        signal.throwIfAborted()
        throw readFailure(thrown, apiKey, now())
      }
    },
  }
}

const STOPS = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'tool-calls': 'tool_use',
  other: 'end_turn',
} as const

const readParts = async (
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  onDelta: AskOptions['onDelta'],
): Promise<ModelReply> => {
  const texts = new Map<string, { index: number; text: string }>()
  const calls: ModelBlock[] = []
  let reasoning = ''
  let finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'finish') finish = part
    if (part.type === 'reasoning-delta') {
      if (reasoning === '') onDelta({ type: 'thinking' })
      reasoning += part.delta
    }
    if (part.type === 'text-delta' && part.delta !== '') {
      const open = texts.get(part.id) ?? { index: texts.size, text: '' }
      texts.set(part.id, open)
      open.text += part.delta
      onDelta({ type: 'text', index: open.index, text: part.delta })
    }
    if (part.type === 'tool-call')
      calls.push({
        type: 'tool_use',
        id: part.toolCallId,
        name: part.toolName,
        input: readInput(part.input, part.toolName),
      })
  }
  const reason = finish?.finishReason.unified
  if (
    finish === undefined ||
    reason === undefined ||
    reason === 'error' ||
    reason === 'interrupted'
  )
    throw new ModelFailure('failed', "the model's answer was cut off")
  const { inputTokens, outputTokens } = finish.usage
  const cacheRead = inputTokens.cacheRead ?? 0
  return {
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
      ...[...texts.values()].map(({ text }) => ({ type: 'text', text })),
      ...calls,
    ],
    // Some servers report `stop` although they call tools.
    stop: calls.length > 0 && reason !== 'length' ? 'tool_use' : STOPS[reason],
    usage: {
      input: inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead),
      output: outputTokens.total ?? 0,
      cacheRead,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
    },
  }
}

const readInput = (json: string, name: string): Record<string, unknown> => {
  try {
    const input = unwrap(parseJson(json || '{}', 'the input', LIMITS.jsonDepth))
    if (isJsonObject(input)) return input
  } catch (thrown) {
    throw new ModelFailure('unusable', `the model called ${name} with invalid JSON`, {
      cause: thrown,
    })
  }
  throw new ModelFailure(
    'unusable',
    `the model called ${name} with something that is not an object`,
  )
}

const errorCode = z.looseObject({
  error: z.looseObject({ type: z.string().nullish(), code: z.string().nullish() }),
})

const readFailure = (thrown: unknown, key: string | undefined, nowMs: number): unknown => {
  if (thrown instanceof ModelFailure) return thrown
  if (!APICallError.isInstance(thrown)) return connectionFailure(thrown)
  const { statusCode: status, responseHeaders = {}, message, data } = thrown
  const said = errorCode.safeParse(data).data?.error
  const words = key === undefined ? message : message.replaceAll(key, '[key]')
  return toModelFailure(
    {
      status,
      kind: said?.code ?? said?.type ?? null,
      message: words,
      header: (name) => responseHeaders[name] ?? null,
    },
    nowMs,
    thrown,
  )
}
