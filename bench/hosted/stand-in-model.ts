import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** Calls of the custom tool per turn; then the model ends the turn. */
export const CALLS_A_TURN = 2

const request = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
    }),
  ),
})

export interface StandInModel {
  address: string
  /** The delay before its first token from now on. */
  setThinking(ms: number): void
  /** Requests without an answer yet. */
  open(): number
  stop(): Promise<void>
}

/** The vendor's Messages API on loopback. Its answers only depend on the conversation. */
export const startStandInModel = async (): Promise<StandInModel> => {
  let thinkMs = 0
  let open = 0
  let count = 0
  const server = createServer(async (incoming, outgoing) => {
    open += 1
    outgoing.once('close', () => {
      open -= 1
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const asked = request.parse(JSON.parse(Buffer.concat(chunks).toString()))
    if (thinkMs > 0) await sleep(thinkMs)
    if (outgoing.destroyed) return
    count += 1
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(speak(asked, count))
  })
  server.on('clientError', (_, socket) => socket.destroy())
  const port = await listen(server)
  return {
    address: `http://127.0.0.1:${port}`,
    setThinking: (ms) => {
      thinkMs = ms
    },
    open: () => open,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const listen = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    }),
  )

const speak = (
  { model, messages }: z.infer<typeof request>,
  count: number,
): Parameters<ServerResponse['end']>[0] => {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const results = blocks.filter(({ type }) => type === 'tool_result').length
  const isLast = blocks.at(-1)?.type === 'tool_result' && results % CALLS_A_TURN === 0
  const usage = { input_tokens: 1000, output_tokens: 1 }
  const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model, content: [] }
  const frames = [
    { type: 'message_start', message: { ...message, stop_reason: null, usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isLast
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: `toolu_${count}`, name: 'look_up', input: {} },
    },
    ...(isLast ? WORDS : ARGUMENTS).map((delta) => ({
      type: 'content_block_delta',
      index: 0,
      delta,
    })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isLast ? 'end_turn' : 'tool_use' },
      usage: { ...usage, output_tokens: 100 },
    },
    { type: 'message_stop' },
  ]
  return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('')
}

const WORDS = 'All of it was looked up, and nothing is left to do. '
  .repeat(4)
  .split(/(?<= )/)
  .map((text) => ({ type: 'text_delta', text }))
const ARGUMENTS = [{ type: 'input_json_delta', partial_json: '{"question":"which way is north?"}' }]
