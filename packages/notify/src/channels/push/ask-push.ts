import type { AskOutcome } from '../ask-outcome.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { type HttpPorts, requestService } from '../request-service.ts'
import { pushTextsOf } from './build-push.ts'
import { encodeHeader } from './encode-header.ts'
import { type CachedPush, readCachedPushes } from './read-cached-pushes.ts'

/** An earlier attempt may have been late; its id is the same, and a wider window costs little. */
const MARGIN_MS = 600_000

/**
 * Polls the server for the cached messages of the topic (`poll=1`) and searches for the message.
 * Servers from 2.16 on return the id we chose; for older ones the texts and the time decide.
 */
export const askPush = async (
  message: OutgoingMessage,
  elapsedMs: number,
  { address, token }: { address: URL; token?: string },
  ports: HttpPorts,
): Promise<AskOutcome> => {
  const question = new URL(address)
  question.pathname += '/json'
  // A duration, which the server measures by its own clock, because ours may be wrong.
  const since = `${Math.ceil((elapsedMs + MARGIN_MS) / 1000)}s`
  question.search = String(new URLSearchParams({ poll: '1', since }))
  const answer = await requestService(
    {
      service: `the push server ${address.host}`,
      address: question.href,
      method: 'GET',
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      meanings: MEANINGS,
    },
    ports,
    async (response) => {
      const serverMs = Date.parse(response.headers.get('date') ?? '')
      const pushes = await readCachedPushes(response)
      if (pushes === undefined) return UNREADABLE
      return search(pushes, message, serverMs - elapsedMs)
    },
  )
  if (answer.ok) return answer.value
  const { error, retryAfterMs } = answer.failure
  if (!error.retryable) return { state: 'unaskable', reason: error.message }
  return { state: 'failed', error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const UNREADABLE: AskOutcome = {
  state: 'unaskable',
  reason: 'the push server does not list its messages as ntfy does',
}

const NOT_READABLE = 'it does not allow reading this topic with this token'

const MEANINGS: Readonly<Record<number, string>> = { 401: NOT_READABLE, 403: NOT_READABLE }

/** The server uses whole seconds, and its answer took some time. */
const TOLERANCE_MS = 5000

const search = (
  pushes: readonly CachedPush[],
  message: OutgoingMessage,
  attemptMs: number,
): AskOutcome => {
  const found: AskOutcome = { state: 'found', detail: 'the push server had it already' }
  if (pushes.some((push) => push.sequence_id === message.id)) return found
  // A server that returns ids would have returned ours.
  if (pushes.some((push) => push.sequence_id !== undefined)) return { state: 'missing' }
  const isSame = (push: CachedPush): boolean =>
    push.event === 'message' &&
    push.time * 1000 >= attemptMs - TOLERANCE_MS &&
    hasTextsOf(push, message)
  return pushes.some(isSame) ? found : { state: 'missing' }
}

const hasTextsOf = (push: CachedPush, message: OutgoingMessage): boolean => {
  const text = (push.message ?? '').trim()
  // The count may have grown since it was sent.
  const counted = Number(/\((\d+) times\)$/.exec(text)?.[1] ?? 1)
  return [1, counted].some((count) => {
    const { title, body } = pushTextsOf({ ...message, count })
    const titles = [title.trim(), encodeHeader(title)]
    return body.trim() === text && titles.includes((push.title ?? '').trim())
  })
}
