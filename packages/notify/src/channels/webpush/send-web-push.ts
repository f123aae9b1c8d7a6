import { StewardError } from '@steward/contract'
import type { Home } from '@steward/platform'
import { cleanLine, cleanText } from '../clean-text.ts'
import { cutToBytes, cutToUnits } from '../cut-text.ts'
import { type OutgoingMessage, textOf } from '../outgoing-message.ts'
import { type HttpPorts, requestService } from '../request-service.ts'
import { delivered, failed, type SendOutcome } from '../send-outcome.ts'
import { readWebPush, removeWebPush, type StoredSubscription } from './subscriptions.ts'

export interface WebPushPorts extends HttpPorts {
  /** Where the keys and the subscriptions are. */
  home: Pick<Home, 'databases'>
  log?: { warn: (message: string) => void }
}

/** Push services accept 4096 bytes, with the encryption. */
const BODY_BYTES = 2800
const TITLE_UNITS = 150
/** A request that is hours old is of no use. */
const TTL_SECONDS = 4 * 3600

/**
 * Sends a message to every browser that subscribed; each payload is encrypted for its browser.
 * `contact` is signed with it, for the push service.
 */
export const sendWebPush = (
  message: OutgoingMessage,
  contact: string,
  ports: WebPushPorts,
): Promise<SendOutcome> =>
  sendToAll(
    {
      title: cutToUnits(cleanLine(message.title), TITLE_UNITS),
      body: cutToBytes(cleanText(textOf(message)), BODY_BYTES),
      tag: message.id,
    },
    { urgency: message.priority > 3 ? 'high' : 'normal', contact },
    ports,
  )

/** Closes a message in the browsers that show it. */
export const retractWebPush = async (
  { id }: Pick<OutgoingMessage, 'id'>,
  contact: string,
  ports: WebPushPorts,
): Promise<void> => {
  await sendToAll({ tag: id, withdraw: true }, { urgency: 'normal', contact }, ports)
}

const sendToAll = async (
  payload: object,
  { urgency, contact }: { urgency: 'normal' | 'high'; contact: string },
  ports: WebPushPorts,
): Promise<SendOutcome> => {
  const { keys, subscriptions } = readWebPush(ports.home)
  if (keys === undefined) {
    const reason = 'there are no keys yet: subscribe in a browser first'
    return failed(new StewardError('not_configured', { subject: 'webpush', reason }))
  }
  // Loaded here, because most commands send nothing.
  const { default: webPush } = await import('web-push')
  const sendOne = async (subscription: StoredSubscription): Promise<Sent> => {
    const { endpoint, headers, body } = webPush.generateRequestDetails(
      subscription,
      JSON.stringify(payload),
      { vapidDetails: { subject: contact, ...keys }, TTL: TTL_SECONDS, urgency },
    )
    const answer = await requestService(
      {
        service: `the push service ${new URL(endpoint).host}`,
        address: endpoint,
        method: 'POST',
        headers: textHeaders(headers),
        ...(body === null ? {} : { body: new Uint8Array(body) }),
        meanings: {},
      },
      ports,
      async (response) => {
        await response.body?.cancel()
      },
    )
    if (answer.ok) return { state: 'sent' }
    if (!GONE.has(answer.failure.status ?? 0)) return answer.failure
    const { name } = subscription
    await removeWebPush(ports.home, subscription.endpoint)
    ports.log?.warn(`notifications: the web push subscription of ${name} has expired; removed`)
    return { state: 'gone', name }
  }
  return summarize(await Promise.all(subscriptions.map(sendOne)))
}

type Sent =
  | { state: 'sent' }
  | { state: 'gone'; name: string }
  | Extract<SendOutcome, { state: 'failed' }>

/** The browser has unsubscribed, or its subscription has expired. */
const GONE: ReadonlySet<number> = new Set([404, 410])

/** A message that arrived somewhere is not sent again, because it would arrive there twice. */
const summarize = (results: readonly Sent[]): SendOutcome => {
  const gone = results.flatMap((each) => (each.state === 'gone' ? [each.name] : []))
  const removed = `the subscription of ${gone.join(', ')} has expired and was removed`
  const failure = results.find((each) => each.state === 'failed')
  const count = results.filter(({ state }) => state === 'sent').length
  if (count > 0)
    return delivered(
      gone.length === 0 ? `sent to ${count === 1 ? 'one browser' : `${count} browsers`}` : removed,
    )
  if (failure !== undefined) return failure
  return { state: 'skipped', detail: gone.length === 0 ? 'no browser has subscribed' : removed }
}

/** `fetch` sets the length itself. */
const textHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^content-length$/i.test(name) ? [] : [[name, String(value)]],
    ),
  )
