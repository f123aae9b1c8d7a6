import type { Fetch } from '@steward/contract'
import { accountOf } from './account-of.ts'
import { toAnthropicBody } from './anthropic-request.ts'
import type { Model } from './model.ts'
import { readMessageStream } from './read-message-stream.ts'
import { connectionFailure, toModelFailure } from './to-model-failure.ts'

type Library = typeof import('@anthropic-ai/sdk')

export interface AnthropicOptions {
  apiKey: string
  /** The base of `/messages`. */
  baseUrl: string
  fetch: Fetch
  now: () => number
}

/**
 * Uses the vendor's own library, streaming. Its retries are off, because the brain's retries appear
 * as events.
 */
export const createAnthropicModel = ({ apiKey, baseUrl, fetch, now }: AnthropicOptions): Model => {
  const open = loadOnce(async () => {
    const library = await import('@anthropic-ai/sdk')
    const client = new library.default({
      apiKey,
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: 'off',
      fetch: (input, init) => fetch(input instanceof Request ? input.url : input, init),
    })
    return { library, client }
  })
  return {
    provider: 'anthropic',
    account: accountOf('anthropic', baseUrl, apiKey),
    free: false,
    ask: async (request, { signal, ...listeners }) => {
      const { library, client } = await open()
      try {
        const stream = await client.post<AsyncIterable<unknown>>('/messages', {
          body: toAnthropicBody(request),
          stream: true,
          signal,
        })
        return await readMessageStream(stream, listeners)
      } catch (thrown) {
        signal.throwIfAborted()
        throw readFailure(thrown, library, apiKey, now())
      }
    },
  }
}

const readFailure = (thrown: unknown, library: Library, key: string, nowMs: number): unknown => {
  if (thrown instanceof library.APIConnectionError) return connectionFailure(thrown)
  if (!(thrown instanceof library.APIError)) return thrown
  const { status, headers, type, apiMessage, message } = thrown
  return toModelFailure(
    {
      status,
      kind: type,
      message: (apiMessage ?? message).replaceAll(key, '[key]'),
      header: (name) => headers?.get(name) ?? null,
    },
    nowMs,
    thrown,
  )
}

/** The library takes 100 ms to load, so only a server that needs it loads it. */
const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}
