import type { AskOutcome } from '../ask-outcome.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { type HttpPorts, requestService } from '../request-service.ts'
import { pushTextsOf } from './build-push.ts'
import { encodeHeader } from './encode-header.ts'
import { type CachedPush, readCachedPushes } from './read-cached-pushes.ts'

/** An attempt before the last may have been late; its id is the same, and a wider look costs little. */
const MARGIN_MS = 600_000

/**
 * Asks the server for what it keeps of the topic (`poll=1`) and looks for the message. A server from
 * 2.16 on gives back the id we chose; an older one does not, and there the texts and the time decide.
 */
export const askPush = async (
  message: OutgoingMessage,
  elapsedMs: number,
  { address, token }: { address: URL; token?: string },
  ports: HttpPorts,
): Promise<AskOutcome> => {
  const question = new URL(address)
  question.pathname += '/json'
  // A duration, which the server counts by its own clock: ours may be wrong.
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

const NOT_READABLE = 'it lets nobody read this topic with this token'

const MEANINGS: Readonly<Record<number, string>> = { 401: NOT_READABLE, 403: NOT_READABLE }

/** The server counts in whole seconds, and its answer was on its way. */
const TOLERANCE_MS = 5000

const search = (
  pushes: readonly CachedPush[],
  message: OutgoingMessage,
  attemptMs: number,
): AskOutcome => {
  const found: AskOutcome = { state: 'found', detail: 'the push server had it already' }
  if (pushes.some((push) => push.sequence_id === message.id)) return found
  // A server that gives ids back would have given ours.
  if (pushes.some((push) => push.sequence_id !== undefined)) return { state: 'missing' }
  const isSame = (push: CachedPush): boolean =>
    push.event === 'message' &&
    push.time * 1000 >= attemptMs - TOLERANCE_MS &&
    hasTextsOf(push, message)
  return pushes.some(isSame) ? found : { state: 'missing' }
}

const hasTextsOf = (push: CachedPush, message: OutgoingMessage): boolean => {
  const text = (push.message ?? '').trim()
  // How often it was said may have grown since it was sent.
  const counted = Number(/\((\d+) times\)$/.exec(text)?.[1] ?? 1)
  return [1, counted].some((count) => {
    const { title, body } = pushTextsOf({ ...message, count })
    const titles = [title.trim(), encodeHeader(title)]
    return body.trim() === text && titles.includes((push.title ?? '').trim())
  })
}
