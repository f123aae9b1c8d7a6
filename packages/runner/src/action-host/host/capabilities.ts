import type { Fetch, FetchInit, ShellOptions } from '@steward/contract'
import type { SentRequest, SentResponse } from './messages.ts'

/** Asks the runner; `signal` cancels the request. */
export type Ask = (
  capability: string,
  args: unknown,
  signal?: AbortSignal | null,
) => { id: number; answer: Promise<unknown> }

/** The capabilities of one call: each asks the runner, which checks, counts and performs it. */
export const createCapabilities = (
  names: readonly string[],
  ask: Ask,
): Record<string, unknown> & { fetch?: Fetch } => {
  if (names.length === 0) return {}
  const all = {
    llm: (prompt: unknown, options: unknown) => ask('llm', { prompt, options }).answer,
    readFile: (path: unknown) => ask('readFile', { path }).answer,
    shell: (argv: unknown, options?: ShellOptions) =>
      ask('shell', { argv, options: sendShellOptions(options) }).answer,
    fetch: createFetch(ask),
    assistant: (task: unknown) => ask('assistant', task).answer,
    hostedAgent: (task: unknown) => ask('hostedAgent', task).answer,
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
}

const sendShellOptions = (options: ShellOptions | undefined): unknown => {
  if (options?.files === undefined) return options
  const files = Object.entries(options.files).map(([name, bytes]) => [
    name,
    Buffer.from(bytes).toString('base64'),
  ])
  return { ...options, files: Object.fromEntries(files) }
}

const createFetch =
  (ask: Ask): Fetch =>
  async (input, init) => {
    const { id, answer } = ask('fetch', await sendRequest(input, init), init?.signal)
    return receiveResponse(await answer, id, ask)
  }

/** Every kind of body that `fetch` takes, as bytes with the headers that belong to it. */
const sendRequest = async (input: string | URL, init: FetchInit = {}): Promise<SentRequest> => {
  const { timeoutMs, signal, ...rest } = init
  signal?.throwIfAborted()
  const request = new Request(input, { ...rest, ...(rest.body ? { duplex: 'half' } : {}) })
  const bytes = rest.body ? Buffer.from(await request.arrayBuffer()) : undefined
  return {
    url: request.url,
    method: request.method,
    headers: [...request.headers],
    redirect: request.redirect,
    ...(bytes === undefined ? {} : { body: bytes.toString('base64') }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

const receiveResponse = (sent: unknown, id: number, ask: Ask): Response => {
  if (!isResponse(sent)) throw new TypeError('fetch was not answered with a response')
  const { url, redirected, hasBody, ...init } = sent
  const response = new Response(hasBody ? receiveBody(id, ask) : null, init)
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
  return response
}

const isResponse = (value: unknown): value is SentResponse =>
  typeof value === 'object' && value !== null && 'status' in value

/** Parts are asked for as they are read, so that a page that is not wanted is not downloaded. */
const receiveBody = (request: number, ask: Ask): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const part = await ask('readBody', { request }).answer
        if (typeof part === 'string') controller.enqueue(Buffer.from(part, 'base64'))
        else controller.close()
      },
      cancel: async () => {
        await ask('cancelBody', { request }).answer
      },
    },
    { highWaterMark: 0 },
  )
