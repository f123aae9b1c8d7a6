import { createServer, type ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject } from '@steward/contract'

/** What the scripted model does next. */
export type Step =
  | { text: string }
  /** Its input may depend on the request that it answers. */
  | { tool: string; input: JsonObject | ((request: string) => JsonObject) }

/** Steps, or the steps that follow from the instructions in a request. */
type Script = readonly Step[] | ((request: string) => readonly Step[])

export interface Vendor {
  /** Without a path. */
  address: string
  /** Lets the model carry out these steps in the turn whose prompt contains `task`. */
  script: (task: string, steps: Script) => void
  /** What the tools answered in the turn of a task, in order. */
  resultsOf: (task: string) => string[]
  /** The system prompt and messages of the last request of a task, as text. */
  lastRequestOf: (task: string) => string
  stop: () => void
}

type Said = { text: string } | { tool: string; input: JsonObject }

interface Turn {
  steps: Script
  results: string[]
  last: string
}

/** A model vendor on loopback that speaks the Messages and the Responses format. */
export const startVendor = async (): Promise<Vendor> => {
  const turns = new Map<string, Turn>()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const text = Buffer.concat(chunks).toString()
    const path = new URL(request.url ?? '/', 'http://vendor').pathname
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : {}
    if (!isJsonObject(body) || request.method !== 'POST') return void response.writeHead(404).end()
    if (path.endsWith('/count_tokens')) return void response.end('{"input_tokens":10}')
    const isMessages = path.endsWith('/messages')
    if (!isMessages && !path.endsWith('/responses')) return void response.writeHead(404).end('{}')
    const items = listOf(isMessages ? body.messages : body.input)
    const step = nextStep(turns, items, toolsOf(body), text)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (isMessages) speakMessages(response, String(body.model), step)
    else speakResponses(response, step)
    response.end()
  })
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  const turnOf = (task: string): Turn => {
    const found = turns.get(task)
    if (found === undefined) throw new Error(`${task} has no script`)
    return found
  }
  return {
    address: `http://127.0.0.1:${isJsonObject(at) ? at.port : 0}`,
    script: (task, steps) => void turns.set(task, { steps, results: [], last: '' }),
    resultsOf: (task) => turnOf(task).results,
    lastRequestOf: (task) => turnOf(task).last,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const listOf = (value: unknown): JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(isJsonObject)

const toolsOf = (body: JsonObject): Set<string> =>
  new Set(listOf(body.tools).map(({ name, type }) => String(name ?? type)))

/** Assistants also ask for titles and summaries, without tools: those get a text. */
const nextStep = (
  turns: ReadonlyMap<string, Turn>,
  items: readonly JsonObject[],
  tools: ReadonlySet<string>,
  text: string,
): Said => {
  const done = { text: 'All done here.' }
  if (tools.size === 0) return done
  const said = items.map(promptIn)
  const found = [...turns]
    .map(([task, turn]) => ({ turn, at: said.findLastIndex((one) => one.includes(task)) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)
    .at(-1)
  if (found === undefined) return done
  const { turn, at } = found
  const since = items.slice(at + 1)
  turn.results = since.flatMap(resultsIn)
  turn.last = text
  const steps = typeof turn.steps === 'function' ? turn.steps(text) : turn.steps
  const step = steps[since.filter(isCall).length]
  if (step === undefined) return done
  if (!('tool' in step)) return step
  if (!tools.has(step.tool)) return { text: `There is no tool ${step.tool}.` }
  const { tool, input } = step
  return { tool, input: typeof input === 'function' ? input(text) : input }
}

/** What the person said; results of tools in the same message are left out. */
const promptIn = ({ role, content }: JsonObject): string => {
  if (role !== 'user') return ''
  if (typeof content === 'string') return content
  return listOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n')
}

const isCall = (item: JsonObject): boolean =>
  /_call$/.test(String(item.type)) || listOf(item.content).some(({ type }) => type === 'tool_use')

const resultsIn = (item: JsonObject): string[] => [
  ...(/_output$/.test(String(item.type)) ? [JSON.stringify(item.output)] : []),
  ...listOf(item.content)
    .filter(({ type }) => type === 'tool_result')
    .map((part) => JSON.stringify(part.content)),
]

let count = 0

const speakMessages = (response: ServerResponse, model: string, step: Said) => {
  const send = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const id = `${++count}`
  const usage = { input_tokens: 10, output_tokens: 1 }
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [] }
  send('message_start', { message: { ...message, stop_reason: null, usage } })
  const isCalling = 'tool' in step
  send('content_block_start', {
    index: 0,
    content_block: isCalling
      ? { type: 'tool_use', id: `toolu_${id}`, name: step.tool, input: {} }
      : { type: 'text', text: '' },
  })
  send('content_block_delta', {
    index: 0,
    delta: isCalling
      ? { type: 'input_json_delta', partial_json: JSON.stringify(step.input) }
      : { type: 'text_delta', text: step.text },
  })
  send('content_block_stop', { index: 0 })
  const stop_reason = isCalling ? 'tool_use' : 'end_turn'
  send('message_delta', { delta: { stop_reason }, usage })
  send('message_stop', {})
}

const speakResponses = (response: ServerResponse, step: Said): void => {
  const send = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const id = `${++count}`
  send('response.created', { response: { id: `resp_${id}` } })
  const item =
    'tool' in step
      ? {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: step.tool,
          arguments: JSON.stringify(step.input),
        }
      : {
          type: 'message',
          id: `msg_${id}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: step.text }],
        }
  send('response.output_item.done', { output_index: 0, item })
  const usage = {
    input_tokens: 10,
    input_tokens_details: null,
    output_tokens: 5,
    output_tokens_details: null,
    total_tokens: 15,
  }
  send('response.completed', { response: { id: `resp_${id}`, usage } })
}
