import { once } from 'node:events'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import type { Egress } from '../egress.ts'
import { SOCKET_FILE } from '../forwarder.ts'

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The certificates that the client trusts. */
  ca?: readonly string[]
}

export interface Answered {
  status: number
  text: string
  headers: NodeJS.Dict<string | string[]>
}

/**
 * Sends a request like a program inside that uses a proxy: absolute URLs for http, CONNECT for
 * https.
 */
export const askThrough = async (
  egress: Egress,
  address: string,
  { method = 'GET', headers = {}, body, ca = [] }: Asked = {},
): Promise<Answered> => {
  const url = new URL(address)
  const socketPath = join(egress.folder, SOCKET_FILE)
  if (url.protocol === 'http:') {
    return send(
      request({ socketPath, method, path: address, headers: { host: url.host, ...headers } }),
      body,
    )
  }
  const opened = await openTunnelTo(egress, `${url.hostname}:${url.port || 443}`)
  if (opened.status !== 200) return { status: opened.status, text: opened.text, headers: {} }
  const secured: TLSSocket = connect({
    socket: opened.socket,
    servername: url.hostname,
    ca: [...ca],
  })
  await once(secured, 'secureConnect')
  return send(
    secureRequest({
      createConnection: () => secured,
      method,
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers },
    }),
    body,
  )
}

export interface Tunnel {
  status: number
  text: string
  socket: Socket
}

export const openTunnelTo = async (egress: Egress, authority: string): Promise<Tunnel> => {
  const asked = request({
    socketPath: join(egress.folder, SOCKET_FILE),
    method: 'CONNECT',
    path: authority,
  })
  asked.end()
  const [answer, socket, head] = await once(asked, 'connect')
  const status = answer.statusCode
  return { status, text: status === 200 ? '' : `${head}${await text(socket)}`, socket }
}

const send = async (asked: ReturnType<typeof request>, body?: string): Promise<Answered> => {
  asked.end(body)
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode, text: await text(answer), headers: answer.headers }
}
