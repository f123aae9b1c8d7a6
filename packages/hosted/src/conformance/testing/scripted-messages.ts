import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const request = z.looseObject({
  model: z.string(),
  system: z.array(z.looseObject({ text: z.string() })),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
})
export type MessagesRequest = z.infer<typeof request>

/** The model's action in one call; the last line of a script repeats for all further calls. */
export type Line =
  | { says: string; outputTokens?: number; after?: Promise<void> }
  /** Calls tools in parallel. */
  | { calls: Calls; outputTokens?: number }
  /** Starts an answer and never finishes it. */
  | { begins: string }
  | { fails: number }

/** A function is for calls that depend on the conversation. */
type Calls = readonly ToolCall[] | ((request: MessagesRequest) => readonly ToolCall[])

interface ToolCall {
  name: string
  input: Record<string, unknown>
}

export interface ScriptedMessages {
  /** For LLM_BASE_URL. */
  address: string
  /** Registers a script and returns the system prompt, or the rubric of a judge, that selects it. */
  script(...lines: Line[]): string
  /** Requests so far from the agent with this system prompt. */
  askedBy(system: string): readonly MessagesRequest[]
  stop(): Promise<void>
}

const MODELS = JSON.stringify({
  data: [
    {
      type: 'model',
      id: 'claude-opus-4-6',
      display_name: 'Opus',
      created_at: '2026-01-01T00:00:00Z',
    },
  ],
  has_more: false,
  first_id: 'claude-opus-4-6',
  last_id: 'claude-opus-4-6',
})

/** The Messages API on loopback, streaming; the system prompt selects the script. */
export const startScriptedMessages = async (): Promise<ScriptedMessages> => {
  const scripts = new Map<string, readonly Line[]>()
  const asked = new Map<string, MessagesRequest[]>()
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method === 'GET') {
      outgoing.setHeader('content-type', 'application/json').end(MODELS)
      return
    }
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = request.parse(JSON.parse(Buffer.concat(chunks).toString()))
    const system = selectScript(body)
    const lines = scripts.get(system) ?? []
    const before = asked.get(system) ?? []
    asked.set(system, [...before, body])
    const line = lines[before.length] ?? lines.at(-1)
    if (line !== undefined && 'after' in line) await line.after
    answer(outgoing, body, line, before.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return {
    address: `http://127.0.0.1:${port}`,
    script: (...lines) => {
      const system = `Script ${scripts.size + 1}`
      scripts.set(system, lines)
      return system
    },
    askedBy: (system) => asked.get(system) ?? [],
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const selectScript = ({ system, messages }: MessagesRequest): string => {
  // What follows describes the surroundings.
  const [first = ''] = (system[0]?.text ?? '').split('\n')
  if (!first.startsWith('You judge')) return first
  return /Script \d+/.exec(JSON.stringify(messages))?.[0] ?? ''
}

const answer = (
  outgoing: ServerResponse,
  asked: MessagesRequest,
  line: Line | undefined,
  count: number,
): void => {
  if (line === undefined || 'fails' in line) {
    const status = line?.fails ?? 500
    const type = status === 529 ? 'overloaded_error' : 'invalid_request_error'
    const body = JSON.stringify({ type: 'error', error: { type, message: 'not now' } })
    // The brain obeys this delay, so that tests do not wait for real time.
    const headers = { 'content-type': 'application/json', 'retry-after-ms': '1' }
    outgoing.writeHead(status, headers).end(body)
    return
  }
  const send = (type: string, fields: object): void => {
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const usage = { input_tokens: 1000, output_tokens: 1 }
  const message = { id: `msg_${count}`, type: 'message', role: 'assistant', content: [] }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { ...message, model: asked.model, stop_reason: null, usage } })
  if ('begins' in line) {
    speak(send, line.begins)
    return
  }
  if ('says' in line) {
    speak(send, line.says)
    send('content_block_stop', { index: 0 })
  } else {
    const { calls } = line
    callTools(send, typeof calls === 'function' ? calls(asked) : calls, count)
  }
  const stop_reason = 'says' in line ? 'end_turn' : 'tool_use'
  const total = { ...usage, output_tokens: line.outputTokens ?? 100 }
  send('message_delta', { delta: { stop_reason }, usage: total })
  send('message_stop', {})
  outgoing.end()
}

type Send = (type: string, fields: object) => void

const speak = (send: Send, text: string): void => {
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  for (const part of text.split(/(?<= )/))
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } })
}

const callTools = (send: Send, calls: readonly ToolCall[], count: number): void => {
  for (const [index, { name, input }] of calls.entries()) {
    const id = `toolu_${count}_${index}`
    send('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
}
