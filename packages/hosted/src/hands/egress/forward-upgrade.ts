import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { openFor, prepareRequest, type Route } from './forward-request.ts'
import type { ProxyContext } from './proxy-context.ts'
import { endWith, relay } from './relay.ts'

/**
 * A connection that switches protocol, such as WebSocket. Secrets are inserted into the upgrade
 * headers only; everything after that passes unchanged in both directions.
 */
export const forwardUpgrade = async (
  incoming: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  route: Route,
  context: ProxyContext,
): Promise<void> => {
  const prepared = prepareRequest(incoming, route)
  const opened = await openFor(route, prepared, context)
  if ('refusal' in opened) return endWith(inner, opened.refusal)
  const { socket } = opened
  const headers = [
    // The last two headers close the connection.
    ...prepared.headers.slice(0, -2),
    ...['connection', 'Upgrade', 'upgrade', incoming.headers.upgrade ?? ''],
  ]
  const outgoing = request({
    createConnection: () => socket,
    method: incoming.method,
    path: route.path,
    headers,
    setHost: false,
  })
  inner.once('close', () => socket.destroy())
  outgoing.once('error', (thrown) => endWith(inner, { status: 502, reason: thrown.message }))
  outgoing.once('response', (answer) => {
    answer.resume()
    endWith(inner, { status: 502, reason: `the host answered ${answer.statusCode}` })
  })
  outgoing.once('upgrade', (answer, outer, rest) => {
    const lines = answer.rawHeaders.map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'))
    inner.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
    inner.write(rest)
    outer.write(head)
    relay(inner, outer, context)
  })
  outgoing.end()
}
