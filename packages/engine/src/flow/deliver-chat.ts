import {
  type Fetch,
  isJsonObject,
  type JsonObject,
  parseJson,
  StewardError,
} from '@steward/contract'
import {
  type Deliver,
  type Delivery,
  type DestinationOf,
  deliveryKey,
  plainTextOf,
  titleOf,
  webAddressOf,
} from './delivery.ts'
import { deliveryError } from './delivery-error.ts'
import { fillText } from './fill-text.ts'
import { type ReadSecret, requiredSecret } from './required-secret.ts'

/** Slack cuts longer texts itself. */
const SLACK_CHARS = 40_000
/** Discord refuses longer ones. */
const DISCORD_TITLE_CHARS = 256
const DISCORD_TEXT_CHARS = 4096

/** Posts to an incoming webhook of Slack, or of a service that understands its format. */
export const createSlackDelivery =
  (fetch: Fetch, secret: ReadSecret): Deliver<'slack'> =>
  async (destination, delivery) => {
    const { title, message, link } = postOf(destination, delivery)
    const heading =
      link === undefined ? escapeText(title) : `<${escapeText(link)}|${escapeText(title)}>`
    const text = cut(`*${heading}*\n\n${toMrkdwn(message)}`, SLACK_CHARS)
    const url = addressIn(destination, secret)
    return post(fetch, url, { text }, { name: 'Slack', destination, delivery })
  }

/** Posts to an incoming webhook of Discord. Mentions in the text of an item notify no one. */
export const createDiscordDelivery =
  (fetch: Fetch, secret: ReadSecret): Deliver<'discord'> =>
  async (destination, delivery) => {
    const { title, message, link } = postOf(destination, delivery)
    const embed = {
      title: cut(title, DISCORD_TITLE_CHARS),
      description: cut(message, DISCORD_TEXT_CHARS),
      ...(link === undefined ? {} : { url: link }),
    }
    const url = addressIn(destination, secret)
    // Only then the answer says whether the message was accepted.
    url.searchParams.set('wait', 'true')
    const body = { embeds: [embed], allowed_mentions: { parse: [] } }
    return post(fetch, url, body, { name: 'Discord', destination, delivery })
  }

type ChatDestination = DestinationOf<'slack'> | DestinationOf<'discord'>

const postOf = ({ title, message }: ChatDestination, delivery: Delivery) => {
  const name = titleOf(delivery)
  const fields = { ...delivery.output, title: name }
  return {
    title: title === undefined ? name : fillText(title, fields),
    message: message === undefined ? plainTextOf(delivery) : fillText(message, fields),
    link: webAddressOf(delivery),
  }
}

const subjectOf = ({ type }: ChatDestination): string => `the ${type} destination`

/** The address is a secret, because who knows it can post; so it is never part of a message. */
const addressIn = (destination: ChatDestination, secret: ReadSecret): URL => {
  const subject = subjectOf(destination)
  const url = URL.parse(requiredSecret(destination.secret, secret, subject).trim())
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  const reason = `the secret ${destination.secret} is not an http or https address`
  throw new StewardError('not_configured', { subject, reason })
}

const post = async (
  fetch: Fetch,
  url: URL,
  body: JsonObject,
  {
    name,
    destination,
    delivery,
  }: { name: string; destination: ChatDestination; delivery: Delivery },
): Promise<JsonObject> => {
  const response = await fetch(url.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  const parsed = parseJson(answer, 'the answer')
  const fields = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  if (response.ok) {
    const id = typeof fields.id === 'string' ? { message: fields.id } : {}
    return { status: response.status, key: deliveryKey(delivery), ...id }
  }
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  // Discord’s own field is more exact than its header.
  if (typeof fields.retry_after === 'number') headers.set('retry-after', `${fields.retry_after}`)
  throw deliveryError({
    destination: subjectOf(destination),
    service: name,
    response: { status, statusText, headers },
    nowMs: delivery.now.getTime(),
    detail: typeof fields.message === 'string' ? fields.message : answer,
  })
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Markdown in the notation of Slack: headings, bold and links. */
const toMrkdwn = (markdown: string): string =>
  escapeText(markdown)
    .replaceAll(/^#{1,6}[ \t]+(\S.*)$/gm, '*$1*')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '*$1*')
    .replaceAll(/\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g, '<$2|$1>')

/** At most so many characters; never half of a surrogate pair. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
