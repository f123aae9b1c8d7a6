import { createServer, type RequestListener } from 'node:http'

export interface LoopbackServer {
  url: string
  /** `host:port`, in the format of ALLOW_PRIVATE_HOSTS. */
  host: string
  close: () => Promise<void>
}

/** A real HTTP server on loopback. */
export const serveLoopback = async (listener: RequestListener): Promise<LoopbackServer> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const host = `127.0.0.1:${address.port}`
  return {
    host,
    url: `http://${host}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
