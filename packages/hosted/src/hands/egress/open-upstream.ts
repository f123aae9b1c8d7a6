import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import type { ProxyContext } from './proxy-context.ts'

/** TLS to a host over a connection that stands; its certificate is checked as any client's would. */
export const secureUpstream = (
  socket: Socket,
  host: string,
  { trust, limits }: ProxyContext,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      servername: host,
      ALPNProtocols: ['http/1.1'],
      secureContext: trust(),
    })
    const fail = (thrown: Error) => {
      socket.destroy()
      reject(thrown)
    }
    secured.setTimeout(limits.connectMs, () =>
      secured.destroy(new Error(`${host} did not finish the TLS handshake`)),
    )
    secured.once('error', fail)
    secured.once('secureConnect', () => {
      secured.setTimeout(0)
      secured.off('error', fail)
      resolve(secured)
    })
  })
