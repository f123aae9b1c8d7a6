import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { type HttpPorts, postToService, requestService } from '../request-service.ts'
import type { SendOutcome } from '../send-outcome.ts'
import { buildPush } from './build-push.ts'

export interface PushTarget {
  /** A host, or an address with its scheme. */
  server: string
  topic: string
  /** For servers that require one. */
  token?: string
}

/** Posts one message with the ntfy protocol. */
export const sendPush = (
  message: OutgoingMessage,
  { address, token }: { address: URL; token?: string },
  ports: HttpPorts,
): Promise<SendOutcome> => {
  const { headers, body } = buildPush(message)
  return postToService(
    {
      service: `the push server ${address.host}`,
      address: address.href,
      headers: token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` },
      body,
      meanings: MEANINGS,
    },
    ports,
  )
}

/** Removes a message from the devices that show it. Servers before ntfy 2.16 cannot. */
export const retractPush = async (
  { id }: Pick<OutgoingMessage, 'id'>,
  { address, token }: { address: URL; token?: string },
  ports: HttpPorts,
): Promise<void> => {
  const target = new URL(address)
  target.pathname += `/${encodeURIComponent(id)}`
  await requestService(
    {
      service: `the push server ${address.host}`,
      address: target.href,
      method: 'DELETE',
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      meanings: MEANINGS,
    },
    ports,
    async (response) => {
      await response.body?.cancel()
    },
  )
}

const CREDENTIALS =
  'it requires credentials for this topic: put NTFY_TOKEN into .env, or create another topic with `steward notify --setup push --force`'

const MEANINGS: Readonly<Record<number, string>> = {
  401: CREDENTIALS,
  403: CREDENTIALS,
  404: 'no ntfy server answers there: check notifications.push.server',
  405: 'no ntfy server answers there: check notifications.push.server',
}

/** `https://{server}/{topic}`; another scheme only if the setting includes it. */
export const addressOfPush = ({ server, topic }: PushTarget): Result<URL> => {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(server) ? server : `https://${server}`
  const base = URL.parse(text)
  const isAddress =
    base !== null &&
    /^https?:$/.test(base.protocol) &&
    base.username === '' &&
    base.search === '' &&
    base.hash === ''
  if (!isAddress) {
    const reason =
      'notifications.push.server must be a host such as ntfy.sh, or https:// and a host'
    return fail(new StewardError('not_configured', { subject: 'push', reason }))
  }
  base.pathname = `${base.pathname.replace(/\/$/, '')}/${encodeURIComponent(topic)}`
  return ok(base)
}
