import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { memorySink } from '../../testing/memory-io.ts'
import { followSession } from './follow-session.ts'

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
})

const running = (id: string) => ({
  id,
  type: 'session.status_running',
  processed_at: '2026-11-15T12:00:00Z',
})

interface Connection {
  /** The content of the log during this connection. */
  log: string
  /** What this connection sends before it breaks. */
  shows: string
}

/** A server whose connections break, one after the other. */
const serveBreaks = async (connections: readonly Connection[]) => {
  let opened = 0
  const stream = (answer: ServerResponse): void => {
    const shown = connections[opened]?.shows
    opened += 1
    if (shown === undefined) {
      answer.writeHead(503).end()
      return
    }
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.flushHeaders()
    for (const id of shown) answer.write(`event: message\ndata: ${JSON.stringify(running(id))}\n\n`)
    if (opened === 1) setImmediate(() => answer.destroy())
    else answer.end()
  }
  server = createServer((request, answer) => {
    if (request.url?.includes('/events/stream')) stream(answer)
    else {
      answer.writeHead(200, { 'content-type': 'application/json' })
      const log = [...(connections[opened - 1]?.log ?? '')].toReversed()
      answer.end(JSON.stringify({ data: log.map(running), next_page: null }))
    }
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return new Anthropic({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 })
}

it('shows each event once and in order, even those during a disconnect', async () => {
  const client = await serveBreaks([
    { log: '', shows: 'ab' },
    { log: 'abc', shows: 'cd' },
    { log: 'abcd', shows: 'e' },
  ])
  const seen: string[] = []
  const waits: number[] = []
  await followSession({ signal: new AbortController().signal, err: memorySink() }, client, 's', {
    deltas: false,
    sleep: async (ms) => {
      waits.push(ms)
    },
    onEvent: (event) => {
      if ('id' in event) seen.push(event.id)
      return seen.length === 5
    },
  })
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(waits.length).toBeGreaterThan(0)
})

it('misses nothing if the first connection breaks before it sent anything', async () => {
  const client = await serveBreaks([
    { log: 'a', shows: '' },
    { log: 'abc', shows: '' },
  ])
  const seen: string[] = []
  await followSession({ signal: new AbortController().signal, err: memorySink() }, client, 's', {
    deltas: false,
    sleep: async () => undefined,
    onEvent: (event) => {
      if ('id' in event) seen.push(event.id)
      return seen.length === 2
    },
  })
  expect(seen).toEqual(['b', 'c'])
})

it('gives up if the server stays unreachable, and immediately if it refuses', async () => {
  const client = await serveBreaks([{ log: 'a', shows: 'a' }])
  let waits = 0
  const follow = () =>
    followSession({ signal: new AbortController().signal, err: memorySink() }, client, 's', {
      deltas: false,
      sleep: async () => {
        waits += 1
      },
      onEvent: () => false,
    })
  await expect(follow()).rejects.toMatchObject({ status: 503 })
  expect(waits).toBe(15)
  await expect(follow()).rejects.toMatchObject({ status: 503 })
  expect(waits).toBe(15)
})
