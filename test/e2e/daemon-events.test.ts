import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { EVENT_SOURCES, type EventSource, stewardEvent } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { watchEvents } from './daemon-events-client.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
let daemons: DaemonProcess[]
beforeEach(() => {
  cli = createCli()
  daemons = []
})
afterEach(async () => {
  for (const daemon of daemons) await daemon.kill()
  cli.remove()
})

const start = async (env: Record<string, string> = {}): Promise<DaemonProcess> => {
  const daemon = await startDaemonProcess(cli, { env })
  daemons.push(daemon)
  return daemon
}

const logOf = (source: EventSource): string => join(cli.home, EVENT_SOURCES[source].file)
const append = (source: EventSource, ...rows: object[]): void => {
  mkdirSync(dirname(logOf(source)), { recursive: true })
  appendFileSync(logOf(source), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const row = (number: number, more: object = {}) => ({
  timestamp: new Date(1_770_000_000_000 + number).toISOString(),
  session_id: 's',
  number,
  ...more,
})
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)
const numbers = (messages: ReadonlyArray<{ data: Record<string, unknown> }>): unknown[] =>
  messages.map(({ data }) => data.number)
const recent = async (daemon: DaemonProcess) => {
  const body = await (await daemon.fetch('/api/events/recent')).json()
  return stewardEvent.array().parse(body.events)
}

const WRITER = `
  import { appendFileSync } from 'node:fs'
  const [path, writer, rows] = process.argv.slice(1)
  for (let n = 0; n < Number(rows); n++) {
    const row = { timestamp: new Date().toISOString(), session_id: 'w' + writer, writer, n }
    appendFileSync(path, JSON.stringify(row) + '\\n')
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }`

/** Starts separate processes that append to a log; resolves when all have succeeded. */
const write = async (source: EventSource, writers: number, rows: number): Promise<void> => {
  mkdirSync(dirname(logOf(source)), { recursive: true })
  const exits = range(0, writers).map((writer) => {
    const args = ['--input-type=module', '-e', WRITER, logOf(source), `${writer}`, `${rows}`]
    return once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  })
  for (const [status] of await Promise.all(exits)) expect(status).toBe(0)
}

describe('steward daemon', () => {
  it('is killed and restarted, and a stream continues where it stopped', async () => {
    append('tool-activity', ...range(0, 5).map((number) => row(number)))
    const first = await start()
    const client = await watchEvents(first)
    await expect.poll(() => client.seen.length).toBe(1)
    append('tool-activity', ...range(5, 10).map((number) => row(number)))
    append('subagent', row(100, { event: 'subagent_start' }))
    await expect.poll(() => client.events().length).toBe(6)
    await first.kill()

    append('tool-activity', row(10))
    renameSync(logOf('tool-activity'), `${logOf('tool-activity')}.1`)
    append('tool-activity', row(11))
    append('voice', row(200, { event_type: 'sent' }))
    const second = await start()
    const again = await watchEvents(second, client.seen.at(-1)?.id)
    await expect.poll(() => again.seen.length).toBe(3)
    expect(new Set(numbers(again.seen))).toEqual(new Set([10, 11, 200]))
    append('tool-activity', row(12))
    await expect.poll(() => numbers(again.seen).at(-1)).toBe(12)
    const everything = [...client.events(), ...again.seen]
    const activity = everything.filter(({ data }) => data.source === 'tool-activity')
    expect(numbers(activity)).toEqual(range(5, 13))
    expect((await recent(second)).map(({ number }) => number)).toEqual([
      200,
      100,
      ...range(0, 13).reverse(),
    ])
  })

  it('sends every row of eight writers once and in order, even if the daemon is killed meanwhile', async () => {
    const [writers, rows] = [8, 250]
    const first = await start()
    const client = await watchEvents(first)
    const writing = write('tool-activity', writers, rows)
    await expect.poll(() => client.events().length, { timeout: 60_000 }).toBeGreaterThan(300)
    await first.kill()
    await client.leave()
    const second = await start()
    const again = await watchEvents(second, client.seen.at(-1)?.id)
    await writing
    const all = () => [...client.events(), ...again.events()]
    await expect.poll(() => all().length, { timeout: 60_000 }).toBe(writers * rows)
    for (const writer of range(0, writers)) {
      const own = all().filter(({ data }) => data.writer === `${writer}`)
      expect(own.map(({ data }) => data.n)).toEqual(range(0, rows))
    }
    expect(again.seen.filter(({ event }) => event === 'resync')).toEqual([])
  })

  it('pushes to a target that is configured while it runs, and stores what is pushed to it', async () => {
    const received: Array<{ path: string; key: unknown; body: unknown }> = []
    const server = createServer(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      received.push({ path: request.url ?? '', key: request.headers['x-key'], body })
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const url = `http://127.0.0.1:${address.port}`

    append('tool-activity', row(1, { preview: 'key-0123456789' }))
    const daemon = await start({ TARGET_KEY: 'key-0123456789' })
    const targets = [{ name: 'box', type: 'http', url, headers: { 'x-key': '${TARGET_KEY}' } }]
    writeFileSync(join(cli.home, 'settings.json'), JSON.stringify({ observability: { targets } }))
    await expect.poll(() => received.length, { timeout: 20_000 }).toBeGreaterThan(0)
    expect(received[0]).toMatchObject({
      path: '/api/observability/events',
      key: 'key-0123456789',
      body: [{ number: 1, preview: '[redacted:TARGET_KEY]' }],
    })
    await expect
      .poll(async () => (await daemon.health()).subsystems.observability?.targets)
      .toMatchObject([{ name: 'box', status: 'ok', lagMs: 0 }])
    expect(JSON.stringify(await daemon.health())).not.toContain('key-0123456789')

    const pushed = { ...row(7), source: 'voice', type: 'voice_start' }
    const response = await daemon.fetch('/api/observability/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([pushed]),
    })
    expect(await response.json()).toEqual({ ok: true, accepted: 1, rejected: 0 })
    await daemon.kill()
    const again = await start()
    expect((await recent(again)).map(({ number }) => number)).toEqual([7, 1])
  })
})
