import { type Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '@steward/contract'

export interface StdioPorts {
  input: Readable
  /** Nothing else may write there. */
  write: (text: string) => void
  /** Ends it immediately. */
  signal: AbortSignal
}

/** Serves until the input ends and all requests are answered, or until aborted. */
export const serveStdio = async (
  server: Server,
  { input, write, signal }: StdioPorts,
): Promise<void> => {
  const output = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      write(String(text))
      done()
    },
  })
  const transport = new StdioServerTransport(input, output)
  const open = new Set<RequestId>()
  let hasEnded = false
  const ended = Promise.withResolvers<void>()
  const endWhenDone = (): void => {
    if (hasEnded && open.size === 0) ended.resolve()
  }

  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    await send(message)
    const id = answeredBy(message)
    if (id !== undefined) open.delete(id)
    endWhenDone()
  }
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id)
    const id = cancelledBy(message)
    if (id !== undefined) open.delete(id)
  }
  const recordEnd = (): void => {
    hasEnded = true
    endWhenDone()
  }
  input.once('end', recordEnd)
  input.once('close', recordEnd)
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  server.onclose = () => ended.resolve()

  await server.connect(transport)
  if (signal.aborted) ended.resolve()
  await ended.promise
  await server.close()
}

const answeredBy = (message: JSONRPCMessage): RequestId | undefined =>
  isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined

/** A cancelled request gets no response. */
const cancelledBy = (message: JSONRPCMessage): RequestId | undefined => {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = isJsonObject(message.params) ? message.params.requestId : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
