import { Agent, request } from 'node:http'

export interface ApiClient {
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>
  /** Opens a stream and reports each frame; resolves when it is connected. */
  stream(path: string, onFrame: (frame: string) => void): Promise<void>
  close(): void
}

const CONNECTIONS = 64

/** A minimal client, because the server is measured. */
export const createApiClient = (address: string, key: string): ApiClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const headers = { 'x-api-key': key, 'anthropic-beta': 'managed-agents-2026-04-01' }
  const streams = new Set<() => void>()

  const call: ApiClient['call'] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const outgoing = request(
        `${address}${path}`,
        {
          method,
          agent,
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        },
        (incoming) => {
          let answer = ''
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            answer += chunk
          })
          incoming.once('error', reject)
          incoming.once('end', () => {
            if (incoming.statusCode === 200) resolve(JSON.parse(answer))
            else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${answer}`))
          })
        },
      )
      outgoing.once('error', (thrown) => {
        // The server closed an idle connection at the moment it was reused: nothing was sent.
        if (outgoing.reusedSocket) resolve(call(method, path, body))
        else reject(thrown)
      })
      outgoing.end(text)
    })

  return {
    call,
    stream: (path, onFrame) =>
      new Promise((resolve, reject) => {
        const outgoing = request(
          `${address}${path}`,
          { agent: false, headers: { ...headers, accept: 'text/event-stream' } },
          (incoming) => {
            if (incoming.statusCode !== 200) {
              reject(new Error(`${path}: ${incoming.statusCode}`))
              return
            }
            resolve()
            let rest = ''
            incoming.setEncoding('utf8').on('data', (chunk: string) => {
              const frames = (rest + chunk).split('\n\n')
              rest = frames.pop() ?? ''
              for (const frame of frames) onFrame(frame)
            })
            incoming.on('error', () => outgoing.destroy())
          },
        )
        outgoing.on('error', reject)
        outgoing.end()
        streams.add(() => outgoing.destroy())
      }),
    close: () => {
      for (const end of streams) end()
      agent.destroy()
    },
  }
}
