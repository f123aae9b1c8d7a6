import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const block = z.looseObject({ type: z.string(), text: z.string().optional() })
const request = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) }),
  ),
})
export type MessagesRequest = z.infer<typeof request>

/** A response of the scripted model: text, or a tool call. */
export type Reply =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; name: string; input: Record<string, unknown> }

export interface StandInMessages {
  /** For LLM_BASE_URL. */
  address: string
  requests: MessagesRequest[]
  stop: () => Promise<void>
}

/** The vendor's Messages API on loopback, streaming, with scripted responses. */
export const startStandInMessages = async (
  answer: (request: MessagesRequest) => Reply,
): Promise<StandInMessages> => {
  const requests: MessagesRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const asked = request.parse(JSON.parse(Buffer.concat(chunks).toString()))
    requests.push(asked)
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    speak(outgoing, asked.model, answer(asked), requests.length)
    outgoing.end()
  })
  // Closing an idle connection while a request is on its way would fail the call.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const speak = (outgoing: ServerResponse, model: string, reply: Reply, count: number): void => {
  const send = (type: string, fields: object): void => {
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const usage = { input_tokens: 1000, output_tokens: 1 }
  const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model, content: [] }
  send('message_start', { message: { ...message, stop_reason: null, usage } })
  const isText = reply.type === 'text'
  const content_block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: `toolu_${count}`, name: reply.name, input: {} }
  send('content_block_start', { index: 0, content_block })
  const parts = isText ? reply.text.split(/(?<= )/) : [JSON.stringify(reply.input)]
  for (const part of parts)
    send('content_block_delta', {
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: part }
        : { type: 'input_json_delta', partial_json: part },
    })
  send('content_block_stop', { index: 0 })
  const stop_reason = isText ? 'end_turn' : 'tool_use'
  send('message_delta', { delta: { stop_reason }, usage: { ...usage, output_tokens: 100 } })
  send('message_stop', {})
}
