import { z } from 'zod'
import type { HttpPorts } from '../request-service.ts'
import { addressOfPush } from './send-push.ts'

const topicMessage = z.object({
  id: z.string(),
  event: z.literal('message'),
  topic: z.string(),
  message: z.string().default(''),
})
export type TopicMessage = z.infer<typeof topicMessage>

export interface FollowedTopics {
  server: string
  topics: readonly string[]
  token?: string
  /** Messages after this one; without it, only new ones. */
  since?: string
}

const MOST_LINE_CHARS = 20_000

/**
 * Follows topics of an ntfy server until the connection ends or the signal aborts; messages that
 * arrived after `since` come first. Throws if the server refuses or cannot be reached.
 */
export const followTopics = async (
  { server, topics, token, since }: FollowedTopics,
  take: (message: TopicMessage) => Promise<void>,
  { fetch, signal }: Pick<HttpPorts, 'fetch'> & { signal: AbortSignal },
): Promise<void> => {
  const address = addressOfPush({ server, topic: '' })
  if (!address.ok) throw address.error
  const url = new URL(address.value)
  url.pathname += `${topics.map(encodeURIComponent).join(',')}/json`
  if (since !== undefined) url.searchParams.set('since', since)
  const response = await fetch(url.href, {
    signal,
    redirect: 'error',
    ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  })
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new Error(`the push server answers HTTP ${response.status}`)
  }
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_LINE_CHARS) throw new Error('the push server sends too long a line')
    for (const line of lines) {
      const message = readMessage(line)
      if (message !== undefined) await take(message)
    }
  }
}

/** Keep-alives and other events are ignored. */
const readMessage = (line: string): TopicMessage | undefined => {
  try {
    return topicMessage.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
