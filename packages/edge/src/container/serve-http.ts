import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export type HandleRequest = (request: Request) => Promise<Response>

/** Serves a web request handler over HTTP. */
export const createHttpServer = (
  handle: HandleRequest,
  onError: (thrown: unknown) => void,
): Server =>
  createServer((incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch((thrown: unknown) => {
      onError(thrown)
      outgoing.destroy()
    })
  })

const answer = async (
  handle: HandleRequest,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const response = await handle(toRequest(incoming))
  const body = Buffer.from(await response.arrayBuffer())
  // The unread rest of a refused request must not be taken for the next request.
  const isUnread = hasBody(incoming) && !incoming.readableEnded
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'content-length': body.byteLength,
    ...(isUnread ? { connection: 'close' } : {}),
  })
  outgoing.end(body)
}

const toRequest = (incoming: IncomingMessage): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  const init: RequestInit & { duplex?: 'half' } = { method: incoming.method ?? 'GET', headers }
  if (hasBody(incoming)) Object.assign(init, { body: bodyOf(incoming), duplex: 'half' })
  const path = incoming.url?.startsWith('/') ? incoming.url : '/'
  return new Request(`http://container${path}`, init)
}

const hasBody = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD'

const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const next = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(new Uint8Array(next.value))
    },
  })
}
