import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { connect } from 'node:net'
import type { Dial } from '../dial.ts'
import { createSessionAuthority } from '../session-authority.ts'

/** An internet host on loopback, with its own certificate. */
export interface StandInHost {
  /** The CA that a client must trust. */
  ca: string
  port: number
  server: Server
  /** Resolves every name to this host and records the names. */
  dial: Dial
  dialled: string[]
  seen: IncomingMessage[]
  close(): Promise<void>
}

export const startStandInHost = async (answer: RequestListener): Promise<StandInHost> => {
  const authority = createSessionAuthority()
  const seen: IncomingMessage[] = []
  const server = createServer(
    { SNICallback: (name, done) => done(null, authority.contextFor(name)) },
    (incoming, response) => {
      seen.push(incoming)
      answer(incoming, response)
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was opened')
  const { port } = address
  const dialled: string[] = []
  return {
    ca: authority.certificate,
    port,
    server,
    seen,
    dialled,
    dial: async (host, wanted) => {
      dialled.push(`${host}:${wanted}`)
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      await once(socket, 'connect')
      return socket
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
