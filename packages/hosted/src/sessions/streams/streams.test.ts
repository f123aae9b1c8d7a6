import { createConnection } from 'node:net'
import type Anthropic from '@anthropic-ai/sdk'
import { NotFoundError, RateLimitError } from '@anthropic-ai/sdk'
import { BETA_FAMILIES } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HOSTED_API_LIMITS } from '../../serve/ports.ts'
import { startTestApi, type TestApi } from '../../serve/testing/start-test-api.ts'
import { makeSession, say, writeAs } from '../testing/make-session.ts'

let server: TestApi
let events: Anthropic.Beta.Sessions.Events
beforeEach(async () => {
  server = await startTestApi({ limits: { ...HOSTED_API_LIMITS, streams: 50 } })
  events = server.client.beta.sessions.events
})
afterEach(() => server.stop())

const headers = () => ({ 'x-api-key': server.key, 'anthropic-beta': BETA_FAMILIES.agents })
const open = (path: string, more: Record<string, string> = {}) =>
  fetch(`${server.address}${path}`, { headers: { ...headers(), ...more } })

/** Reads the given number of frames, including comments and pings. */
const readFrames = async (response: Response, count: number): Promise<string[]> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n').slice(0, -1)
    if (frames.length >= count) return frames
  }
  return text.split('\n\n').slice(0, -1)
}
const textOf = (frame: string): string => /"text":"([^"]*)"/.exec(frame)?.[1] ?? ''
const write = (id: string, ...texts: string[]) =>
  writeAs(
    server,
    id,
    ...texts.map((text) => ({
      type: 'agent.message',
      body: { content: [{ type: 'text', text }] },
    })),
  )

test('shows events from now on, the same on all paths', async () => {
  const { id } = await makeSession(server)
  await write(id, 'before')
  const [thread] = (await server.client.beta.sessions.threads.list(id)).data
  const opened = await Promise.all(
    [
      `/v1/sessions/${id}/events/stream`,
      `/v1/sessions/${id}/stream`,
      `/v1/sessions/${id}/threads/${thread?.id}/stream`,
    ].map((path) => open(path)),
  )
  await write(id, 'after')
  const all = await Promise.all(opened.map((response) => readFrames(response, 1)))
  expect(new Set(all.flat()).size).toBe(1)
  expect(all[0]?.[0]).toMatch(/^id: sevt_\w+\nevent: message\ndata: \{.*"after".*\}$/)
  expect(opened[0]?.headers.get('content-type')).toContain('text/event-stream')
  expect(opened[0]?.headers.get('request-id')).toMatch(/^req_/)
})

test('does not read its own events again, however many streams are open', async () => {
  const { id } = await makeSession(server)
  const opened = await Promise.all(
    Array.from({ length: 20 }, () => open(`/v1/sessions/${id}/stream`)),
  )
  const read = vi.spyOn(server.database, 'read')
  await write(id, 'for all')
  const frames = await Promise.all(opened.map((response) => readFrames(response, 1)))
  expect(frames.map(([frame]) => textOf(frame ?? ''))).toEqual(Array(20).fill('for all'))
  expect(read).not.toHaveBeenCalled()
  read.mockRestore()
})

test('pings keep it open', async () => {
  const { id } = await makeSession(server)
  const response = await open(`/v1/sessions/${id}/stream`)
  await expect.poll(() => server.api.countStreams()).toBe(1)
  server.repeatNow()
  expect(await readFrames(response, 1)).toEqual(['event: ping\ndata: {"type": "ping"}'])
  await expect.poll(() => server.api.countStreams()).toBe(0)
})

test('previews reach subscribers from their beginning, before the event', async () => {
  const { id } = await makeSession(server)
  const tell = (frame: object) =>
    server.database.tell({
      sessionId: id,
      news: { type: 'preview', frame: JSON.stringify(frame) },
    })
  const delta = (event_id: string, text: string) => ({
    type: 'event_delta',
    event_id,
    delta: { type: 'content_delta', index: 0, content: { type: 'text', text } },
  })
  const early = await events.stream(id, { event_deltas: ['agent.message'] })
  const plain = await open(`/v1/sessions/${id}/stream`)
  tell({ type: 'event_start', event: { type: 'agent.message', id: 'sevt_preview' } })
  tell(delta('sevt_preview', 'Hel'))
  const late = await open(`/v1/sessions/${id}/stream?event_deltas[]=agent.message`)
  tell(delta('sevt_preview', 'lo'))
  tell({ type: 'event_start', event: { type: 'agent.thinking', id: 'sevt_thinks' } })
  await writeAs(server, id, {
    type: 'agent.message',
    id: 'sevt_preview',
    body: { content: [{ type: 'text', text: 'Hello' }] },
  })
  const seen: string[] = []
  for await (const event of early) {
    seen.push(event.type)
    if (event.type === 'agent.message') break
  }
  expect(seen).toEqual(['event_start', 'event_delta', 'event_delta', 'agent.message'])
  expect((await readFrames(plain, 1)).map(textOf)).toEqual(['Hello'])
  expect((await readFrames(late, 1)).map(textOf)).toEqual(['Hello'])
})

test('resumes after a seen event without gaps or duplicates', async () => {
  const { id } = await makeSession(server)
  const written = await write(id, ...Array.from({ length: 500 }, (_, index) => `n${index}`))
  const after = written[100]?.id
  const byQuery = open(`/v1/sessions/${id}/stream?after=${after}`)
  const byHeader = open(`/v1/sessions/${id}/stream`, { 'last-event-id': after ?? '' })
  const opened = await Promise.all([byQuery, byHeader])
  const reading = opened.map((response) => readFrames(response, 419))
  for (let count = 500; count < 520; count++) await write(id, `n${count}`)
  const expected = Array.from({ length: 419 }, (_, index) => `n${index + 101}`)
  for (const frames of await Promise.all(reading)) expect(frames.map(textOf)).toEqual(expected)
})

test('errors are reported before it begins', async () => {
  const { id } = await makeSession(server)
  await expect(events.stream('sesn_none')).rejects.toBeInstanceOf(NotFoundError)
  const wrong = await open(`/v1/sessions/${id}/stream?event_deltas[]=agent.tool_use`)
  expect(wrong.status).toBe(400)
  expect((await open(`/v1/sessions/${id}/stream?after=sevt_none`)).status).toBe(400)
  expect((await open(`/v1/sessions/${id}/threads/sthr_none/stream`)).status).toBe(404)
  expect(server.api.countStreams()).toBe(0)
})

test('limits the number of streams', async () => {
  const { id } = await makeSession(server)
  const opened = await Promise.all(
    Array.from({ length: 50 }, () => open(`/v1/sessions/${id}/stream`)),
  )
  await expect.poll(() => server.api.countStreams()).toBe(50)
  await expect(events.stream(id)).rejects.toBeInstanceOf(RateLimitError)
  await Promise.all(opened.map((response) => response.body?.cancel()))
})

test('a client that does not read is disconnected after a while, and the others get everything', async () => {
  const { id } = await makeSession(server)
  const { hostname, port } = new URL(server.address)
  const stuck = createConnection(Number(port), hostname)
  stuck.on('error', () => stuck.destroy())
  const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`)
  stuck.write(
    `GET /v1/sessions/${id}/stream HTTP/1.1\r\nhost: ${hostname}\r\n${lines.join('')}\r\n`,
  )
  stuck.pause()
  await expect.poll(() => server.api.countStreams()).toBe(1)
  const good = await open(`/v1/sessions/${id}/stream`)
  const reading = readFrames(good, 120)
  const big = 'x'.repeat(100_000)
  // One large write exceeds every client's buffer, so that all have to continue from the log.
  await write(id, ...Array.from({ length: 119 }, (_, index) => `${index} ${big}`))
  await write(id, '119 last')
  const frames = await reading
  expect(frames.map((frame) => textOf(frame).split(' ')[0])).toEqual(
    Array.from({ length: 120 }, (_, index) => String(index)),
  )
  await expect.poll(() => server.api.countStreams()).toBe(1)
  for (let count = 0; count < 3; count++) server.repeatNow()
  expect(server.api.countStreams()).toBe(1)
  server.repeatNow()
  await expect.poll(() => server.api.countStreams()).toBe(0)
  stuck.destroy()
})

test('sent events are echoed under the same id', async () => {
  const { id } = await makeSession(server)
  const stream = await events.stream(id)
  const sent = await events.send(id, { events: [say('hi')] })
  for await (const event of stream) {
    expect(event).toEqual(sent.data?.[0])
    break
  }
  expect(server.failures).toEqual([])
})
