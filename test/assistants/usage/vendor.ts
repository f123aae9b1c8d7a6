import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject } from '@steward/contract'

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

/** What the scripted model does next. */
export type Move =
  | { type: 'text'; text: string }
  | { type: 'tool'; name: string; input: Record<string, unknown>; namespace?: string }
  /** Begins an answer and never ends it, until the assistant is killed. */
  | { type: 'hang' }

/** A message of the person, or the result of a tool. */
export type Entry = { prompt: string } | { result: string }

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

/** One count a call, all different, so that a call that is missing or doubled cannot cancel out. */
const usageOf = (call: number) => ({
  input: 100 + call,
  output: 20 + call,
  cacheRead: 1000 + call,
  cacheWrite: 50 + call,
})
type Usage = ReturnType<typeof usageOf>

interface Call {
  call: number
  model: string
  move: Move
  usage: Usage
}

interface Protocol {
  matches: (path: string) => boolean
  read: (body: JsonObject, path: string) => Pick<Question, 'entries' | 'tools'> & { model: string }
  /** Writes the answer; the tokens that this vendor bills. */
  speak: (outgoing: ServerResponse, call: Call) => Usage
}

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

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

const event = (outgoing: ServerResponse, data: JsonObject, name?: string): void => {
  outgoing.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
}

/** All texts in a part of a request. */
const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('\n')
  return isJsonObject(value) ? textIn(value.text ?? value.content ?? value.parts ?? '') : ''
}

const messages: Protocol = {
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => {
    const isResult = (message: JsonObject) =>
      objects(message.content).some(({ type }) => type === 'tool_result')
    const said = objects(body.messages).filter(({ role }) => role === 'user')
    return {
      model: String(body.model),
      entries: said.map((message) =>
        isResult(message)
          ? { result: JSON.stringify(message) }
          : { prompt: textIn(message.content) },
      ),
      tools: objects(body.tools).map(({ name }) => String(name)),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const counts = {
      input_tokens: usage.input,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
    }
    const send = (type: string, fields: JsonObject) => event(outgoing, { type, ...fields }, type)
    const message = { id: `msg_${call}`, type: 'message', role: 'assistant', model, content: [] }
    send('message_start', {
      message: { ...message, stop_reason: null, usage: { ...counts, output_tokens: 1 } },
    })
    const block =
      move.type === 'tool'
        ? { type: 'tool_use', id: `toolu_${call}`, name: move.name, input: {} }
        : { type: 'text', text: '' }
    send('content_block_start', { index: 0, content_block: block })
    const delta =
      move.type === 'tool'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(move.input) }
        : { type: 'text_delta', text: move.type === 'text' ? move.text : '' }
    send('content_block_delta', { index: 0, delta })
    send('content_block_stop', { index: 0 })
    const stop_reason = move.type === 'tool' ? 'tool_use' : 'end_turn'
    send('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { ...counts, output_tokens: usage.output },
    })
    send('message_stop', {})
    return usage
  },
}

const responses: Protocol = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => {
    return {
      model: String(body.model),
      entries: objects(body.input).flatMap((item): Entry[] => {
        if (String(item.type).endsWith('_output')) return [{ result: JSON.stringify(item.output) }]
        const text = textIn(item.content)
        return item.role === 'user' && !/^\s*</.test(text) ? [{ prompt: text }] : []
      }),
      tools: objects(body.tools).map(({ name, type }) => String(name ?? type)),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const send = (type: string, fields: JsonObject) => event(outgoing, { type, ...fields }, type)
    send('response.created', { response: { id: `resp_${call}`, model } })
    const item =
      move.type === 'tool'
        ? {
            type: 'function_call',
            call_id: `call_${call}`,
            name: move.name,
            ...(move.namespace === undefined ? {} : { namespace: move.namespace }),
            arguments: JSON.stringify(move.input),
          }
        : {
            type: 'message',
            id: `msg_${call}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: move.type === 'text' ? move.text : '' }],
          }
    send('response.output_item.done', { output_index: 0, item })
    send('response.completed', {
      response: {
        id: `resp_${call}`,
        model,
        output: [item],
        usage: {
          input_tokens: usage.input + usage.cacheRead,
          input_tokens_details: { cached_tokens: usage.cacheRead },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 5 },
          total_tokens: usage.input + usage.cacheRead + usage.output,
        },
      },
    })
    return { ...usage, cacheWrite: 0 }
  },
}

const completions: Protocol = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    return {
      model: String(body.model),
      entries: objects(body.messages).flatMap((item): Entry[] => {
        if (item.role === 'tool') return [{ result: JSON.stringify(item) }]
        return item.role === 'user' ? [{ prompt: textIn(item.content) }] : []
      }),
      tools: objects(body.tools).flatMap((tool) =>
        isJsonObject(tool.function) ? [String(tool.function.name)] : [],
      ),
    }
  },
  speak: (outgoing, { call, model, move, usage }) => {
    const base = { id: `chat_${call}`, object: 'chat.completion.chunk', created: 1, model }
    const delta =
      move.type === 'tool'
        ? {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: `call_${call}`,
                type: 'function',
                function: { name: move.name, arguments: JSON.stringify(move.input) },
              },
            ],
          }
        : { role: 'assistant', content: move.type === 'text' ? move.text : '' }
    event(outgoing, { ...base, choices: [{ index: 0, delta, finish_reason: null }] })
    const finish_reason = move.type === 'tool' ? 'tool_calls' : 'stop'
    event(outgoing, {
      ...base,
      choices: [{ index: 0, delta: {}, finish_reason }],
      usage: {
        prompt_tokens: usage.input + usage.cacheRead,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.cacheRead + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    })
    outgoing.write('data: [DONE]\n\n')
    return { ...usage, cacheWrite: 0 }
  },
}

const THOUGHTS = 5

const generateContent: Protocol = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  read: (body, path) => {
    const isResult = (item: JsonObject) =>
      objects(item.parts).some((part) => part.functionResponse !== undefined)
    const items = objects(body.contents).filter(({ role }) => role === 'user')
    const declared = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations))
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
      entries: items.map((item) =>
        isResult(item) ? { result: JSON.stringify(item) } : { prompt: textIn(item.parts) },
      ),
      tools: declared.map(({ name }) => String(name)),
    }
  },
  speak: (outgoing, { model, move, usage }) => {
    const part =
      move.type === 'tool'
        ? { functionCall: { name: move.name, args: move.input } }
        : { text: move.type === 'text' ? move.text : '' }
    event(outgoing, {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      modelVersion: model,
      usageMetadata: {
        promptTokenCount: usage.input + usage.cacheRead,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output - THOUGHTS,
        thoughtsTokenCount: THOUGHTS,
        totalTokenCount: usage.input + usage.cacheRead + usage.output,
      },
    })
    return { ...usage, cacheWrite: 0 }
  },
}

const PROTOCOLS = [messages, responses, completions, generateContent]
