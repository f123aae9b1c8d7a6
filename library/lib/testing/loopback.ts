import type { IncomingMessage, RequestListener } from 'node:http'
import { serveLoopback as serve } from '@steward/platform/testing'
import { onTestFinished } from 'vitest'

/** A real HTTP server on loopback for one test; returns its base address. */
export const serveLoopback = async (listener: RequestListener): Promise<string> => {
  const { url, close } = await serve(listener)
  onTestFinished(close)
  return url
}

/** The whole body of a request, as bytes. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
