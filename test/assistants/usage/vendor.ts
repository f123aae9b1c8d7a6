import { createServer, type IncomingMessage } from 'node:http'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { messages } from './anthropic.ts'
import { generateContent } from './google.ts'
import { completions, responses } from './openai.ts'
import { type Entry, type Move, usageOf } from './protocol.ts'

/** Tokens as the vendor bills them; the input has no cache. */
export interface Billed {
  session: string
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  /** Whether the assistant asked by itself for a title of the session. */
  isTitle: boolean
}

export interface Question {
  session: string
  /** The whole conversation, without the words of the model. */
  entries: Entry[]
  /** The text of the last message of the person. */
  prompt: string
  /** What tools have answered since that message. */
  results: string[]
  tools: string[]
  /** The request as it was sent. */
  body: string
}

export interface Vendor {
  /** The base address for one session, whose calls are counted under this name. */
  addressOf: (session: string) => string
  billed: Billed[]
  /** Resolves when an answer of this session hangs. */
  hangs: (session: string) => Promise<void>
  stop: () => Promise<void>
}

const PROTOCOLS = [messages, responses, completions, generateContent]

/** The interfaces of four vendors on loopback, with scripted answers and known usage. */
export const startVendor = async (decide: (question: Question) => Move): Promise<Vendor> => {
  const billed: Billed[] = []
  const hanging = new Map<string, () => void>()
  let calls = 0
  const server = createServer(async (incoming, outgoing) => {
    const body = await readJson(incoming)
    const [, session = '', ...rest] = (incoming.url ?? '').split('?', 1).join('').split('/')
    const path = `/${rest.join('/')}`
    const protocol = PROTOCOLS.find(({ matches }) => matches(path))
    if (protocol === undefined || incoming.method !== 'POST' || body === undefined) {
      outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const { model, entries, tools } = protocol.read(body, path)
    const last = entries.findLastIndex((entry) => 'prompt' in entry)
    const text = JSON.stringify(body)
    const isTitle = /generate a (short |brief )?title|title generator/i.test(text)
    const move = isTitle
      ? { type: 'text' as const, text: 'A title' }
      : decide({
          ...{ session, entries, tools, body: text },
          prompt: entries
            .slice(last, last + 1)
            .flatMap(promptIn)
            .join(''),
          results: entries.slice(last + 1).flatMap(resultIn),
        })
    calls += 1
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    if (move.type === 'hang') {
      outgoing.write(': waiting\n\n')
      hanging.get(session)?.()
      return
    }
    const usage = protocol.speak(outgoing, { call: calls, model, move, usage: usageOf(calls) })
    billed.push({ session, model, ...usage, isTitle })
    outgoing.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    addressOf: (session) => `http://127.0.0.1:${port}/${session}`,
    billed,
    hangs: (session) => new Promise((resolve) => hanging.set(session, resolve)),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readJson = async (incoming: IncomingMessage): Promise<JsonObject | undefined> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const promptIn = (entry: Entry): string[] => ('prompt' in entry ? [entry.prompt] : [])
const resultIn = (entry: Entry): string[] => ('result' in entry ? [entry.result] : [])
