import { createServer, type IncomingMessage } from 'node:http'
import { isJsonObject } from '@steward/contract'

export interface CachedPush {
  id: string
  time: number
  event: string
  title?: string
  message?: string
  sequence_id?: string
}

export interface NtfyStandIn {
  address: string
  /** The accepted messages, in order. */
  kept: CachedPush[]
  /** The paths of received polls. */
  questions: string[]
  /** Called before an answer; throwing closes the connection instead. */
  beforeAnswer: (request: 'post' | 'question', push?: CachedPush) => void | Promise<void>
  /** From 2.16 on it stores and returns senders' ids. */
  knowsIds: boolean
  close: () => void
}

/** An ntfy server on loopback: accepts, stores and lists messages. */
export const serveNtfy = async (now: () => number = Date.now): Promise<NtfyStandIn> => {
  const standIn: NtfyStandIn = {
    address: '',
    kept: [],
    questions: [],
    beforeAnswer: () => undefined,
    knowsIds: true,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request)
      // Node's own header would use another clock than the messages.
      response.setHeader('date', new Date(now()).toUTCString())
      if (request.method === 'GET') {
        standIn.questions.push(request.url ?? '')
        const lines = listSince(standIn.kept, request.url ?? '', now())
        await standIn.beforeAnswer('question')
        response.end(lines)
        return
      }
      const { title, 'x-sequence-id': sequenceId } = request.headers
      const push: CachedPush = {
        id: String(standIn.kept.length).padStart(12, 'x'),
        time: Math.floor(now() / 1000),
        event: 'message',
        ...(typeof title === 'string' ? { title } : {}),
        message: body.trim(),
        ...(standIn.knowsIds && typeof sequenceId === 'string' ? { sequence_id: sequenceId } : {}),
      }
      standIn.kept.push(push)
      await standIn.beforeAnswer('post', push)
      response.end(JSON.stringify(push))
    } catch {
      request.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  standIn.address = `http://127.0.0.1:${isJsonObject(address) ? address.port : 0}`
  return standIn
}

/** An interrupted body throws, because incomplete messages are not accepted. */
const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** Like the real server: a duration before its own time, in whole seconds. */
const listSince = (kept: readonly CachedPush[], path: string, nowMs: number): string => {
  const query = new URL(path, 'http://ntfy').searchParams
  const since = /^(\d+)s$/.exec(query.get('since') ?? '')?.[1]
  if (query.get('poll') !== '1' || since === undefined) throw new Error(`asked for ${path}`)
  const from = Math.floor(nowMs / 1000) - Number(since)
  return kept
    .filter(({ time }) => time >= from)
    .map((push) => `${JSON.stringify(push)}\n`)
    .join('')
}
