import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { API, isJsonObject, LIMITS, notifyAnswer, PHASES } from '@steward/contract'
import { recallTab } from '@steward/notify'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { PACKED_HOOK, PACKED_LAUNCHER } from './launcher.ts'

const findProgram = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

let cli: Cli
let daemons: DaemonProcess[]
let endTmux: () => void
beforeEach(() => {
  endTmux = () => undefined
  cli = createCli()
  daemons = []
})
afterEach(async () => {
  endTmux()
  for (const daemon of daemons) await daemon.kill()
  cli.remove()
})

/** A PATH for the daemon without programs that play sound or show alerts. */
const silentPath = (): string => {
  const bin = join(cli.files, 'bin')
  mkdirSync(bin, { recursive: true })
  for (const name of ['ps', 'tmux']) {
    const program = findProgram(name)
    if (program !== undefined && !existsSync(join(bin, name))) symlinkSync(program, join(bin, name))
  }
  return bin
}

const start = async (): Promise<DaemonProcess> => {
  const daemon = await startDaemonProcess(cli, { env: { PATH: silentPath() } })
  daemons.push(daemon)
  return daemon
}

/** A browser voice without an open page: everything is queued and nothing is spoken. */
const writeSettings = (notifications: object = {}): void => {
  const settings = { voice: { provider: 'browser' }, notifications }
  cli.write('settings.json', JSON.stringify(settings))
}

const workStatePath = (): string => resolveHome({ STEWARD_HOME: cli.home }).workState
const writeWork = (slugs: readonly string[]): void => {
  const updatedAt = new Date().toISOString()
  const sessions = slugs.map((slug) => [
    slug,
    { task: slug, sessionUUID: `uuid-${slug}`, mode: 'starting', phase: 'starting', updatedAt },
  ])
  mkdirSync(dirname(workStatePath()), { recursive: true })
  writeFileSync(
    workStatePath(),
    JSON.stringify({ sessions: Object.fromEntries(sessions), theirs: 1 }),
  )
}
const workFile = z.looseObject({
  sessions: z.record(
    z.string(),
    z.looseObject({
      phase: z.string(),
      phaseHistory: z.array(z.looseObject({ phase: z.string(), source: z.string() })).default([]),
    }),
  ),
})
const readWork = () => workFile.parse(JSON.parse(readFileSync(workStatePath(), 'utf8')))

const post = (daemon: DaemonProcess, body: unknown, path = '/notify'): Promise<Response> =>
  daemon.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const notify = async (daemon: DaemonProcess, body: object) => {
  const response = await post(daemon, body)
  expect(response.status).toBe(200)
  return notifyAnswer.parse(await response.json())
}
const voiceLog = (): string => {
  const path = join(cli.home, 'MEMORY/VOICE/voice-events.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
const deliveries = async (daemon: DaemonProcess) => {
  const body: unknown = await (await daemon.fetch('/api/notifications?limit=200')).json()
  return API.listDeliveries.answer.parse(body).deliveries
}

interface Received {
  path: string
  body: string
  /** Whether it got a response; if not, it may be sent again. */
  acknowledged: boolean
}

/** A loopback service for push and chat that can leave callers waiting. */
const startService = async () => {
  const received: Received[] = []
  const taken: string[] = []
  const service = { received, isHanging: false, address: '' }
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const acknowledged = !service.isHanging
    // Lists the messages it acknowledged, as ntfy does.
    if (request.method === 'GET' && acknowledged) response.end(taken.join(''))
    if (request.method === 'GET') return
    const body = Buffer.concat(chunks).toString()
    received.push({ path: request.url ?? '', body, acknowledged })
    if (!acknowledged) return
    const sequence_id = request.headers['x-sequence-id']
    taken.push(`${JSON.stringify({ event: 'message', time: Date.now() / 1000, sequence_id })}\n`)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (!isJsonObject(address)) throw new Error('no address')
  service.address = `http://127.0.0.1:${address.port}`
  return service
}
const TOPIC = 'steward-0123456789abcdef'
const channelsAt = (address: string) => ({
  push: { enabled: true, topic: TOPIC, server: address },
  chat: { enabled: true, webhook: `${address}/hook/SECRETPART` },
})

describe('POST /notify', () => {
  it('answers 500 callers at once, and records every phase', async () => {
    writeSettings()
    const slugs = Array.from({ length: 500 }, (_, n) => `s${n}`)
    writeWork(slugs)
    const daemon = await start()
    const phaseOf = (n: number) => PHASES[n % PHASES.length]
    const answers = await Promise.all(
      slugs.map((slug, n) =>
        notify(daemon, { message: `Line ${n}`, phase: phaseOf(n), slug, session_id: 'other' }),
      ),
    )
    expect(answers.every(({ queued }) => queued)).toBe(true)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(500)
    expect(answers.map(({ phase }) => phase)).toEqual(
      slugs.map((slug) => ({ written: true, slug })),
    )
    const { sessions, theirs } = readWork()
    expect(theirs).toBe(1)
    for (const [n, slug] of slugs.entries()) {
      expect(sessions[slug]).toMatchObject({
        phase: phaseOf(n)?.toLowerCase(),
        phaseHistory: [{ phase: phaseOf(n), source: 'voice' }],
      })
    }
    expect((await daemon.health()).subsystems.notifications).toMatchObject({ status: 'ok' })
  })

  it('accepts any text and executes none of it', async () => {
    writeSettings()
    const daemon = await start()
    const marker = join(cli.files, 'ran')
    const texts = [
      `"double" 'single' \`touch ${marker}\` $(touch ${marker}) ; touch ${marker} | & > <`,
      'line one\r\nline two\n\n\ttabbed \u0000 nul \u001b[31m escape',
      '🚀 👨‍👩‍👧‍👦 שלום עולם مرحبا 日本語 \u202E reversed',
      '--help',
      '{"json": true}',
    ]
    for (const message of texts) {
      const title = message
      expect(await notify(daemon, { message, title, kind: 'error' })).toMatchObject({
        status: 'success',
      })
    }
    const long = await notify(daemon, { message: 'word '.repeat(20_000) })
    expect(long).toMatchObject({ queued: true, truncated: true })
    expect(existsSync(marker)).toBe(false)
    expect((await post(daemon, { message: 'x' }, '/notify/personality')).status).toBe(200)
    expect((await post(daemon, { message: 'x' }, '/voice')).status).toBe(200)
  })

  it('reports errors in a request and announces nothing', async () => {
    writeSettings()
    writeWork(['a'])
    const daemon = await start()
    const refused = async (body: unknown) => {
      const response = await post(daemon, body)
      return { status: response.status, body: await response.json() }
    }
    const about = (field: string, code = 'invalid_input') => ({
      status: 'error',
      code,
      field,
      error: expect.stringContaining(field),
      message: expect.stringContaining(field),
    })
    expect(await refused({})).toMatchObject({ status: 400, body: about('message') })
    expect(await refused({ message: '  ' })).toMatchObject({ status: 400, body: about('message') })
    expect(await refused({ message: 5 })).toMatchObject({ status: 400, body: about('message') })
    for (const phase of ['DONE', 'build', '', 7, null]) {
      const body = { message: 'never to be said', phase, slug: 'a' }
      expect(await refused(body)).toMatchObject({ status: 400, body: about('phase') })
    }
    expect(await refused({ message: 'x', volume: 2 })).toMatchObject({ body: about('volume') })
    expect(await refused('{"message":')).toMatchObject({ status: 400, body: { status: 'error' } })
    expect(
      await refused({ message: 'é'.repeat(LIMITS.notifyMessageBytes / 2 + 1), phase: 'BUILD' }),
    ).toMatchObject({ status: 413, body: about('message', 'payload_too_large') })
    expect(await refused({ message: 'x'.repeat(LIMITS.daemonBodyBytes) })).toMatchObject({
      status: 413,
      body: { status: 'error' },
    })
    expect(await notify(daemon, { message: 'x', phase: 'BUILD', slug: 'nobody' })).toMatchObject({
      queued: true,
      phase: { written: false, reason: 'unknown_slug' },
    })
    expect(readWork().sessions.a).toMatchObject({ phase: 'starting', phaseHistory: [] })
    expect(voiceLog()).not.toContain('never to be said')
  })
})

describe('channels', () => {
  it('lose nothing and repeat no acknowledged message when the daemon is killed', async () => {
    const service = await startService()
    writeSettings(channelsAt(service.address))
    const acknowledged = () =>
      service.received
        .filter((each) => each.acknowledged)
        .map(({ path, body }) => `${path} ${body}`)
    const first = await start()
    await notify(first, { message: 'error 1', kind: 'error' })
    await notify(first, { message: 'alarm 2', kind: 'security', title: 'Ünïcode ✓' })
    await expect.poll(() => acknowledged().length).toBe(3)
    await expect
      .poll(async () => (await deliveries(first)).map(({ state }) => state))
      .toEqual(['delivered', 'delivered', 'delivered'])

    service.isHanging = true
    const waiting = ['error 3', 'error 4', 'error 5', 'error 6']
    await Promise.all(waiting.map((message) => notify(first, { message, kind: 'error' })))
    await expect.poll(() => service.received.length).toBe(4)
    await first.kill()

    service.isHanging = false
    const second = await start()
    await expect.poll(() => acknowledged().length, { timeout: 60_000 }).toBe(7)
    await expect
      .poll(async () => (await deliveries(second)).filter(({ state }) => state === 'delivered'))
      .toHaveLength(7)
    await second.kill()

    const third = await start()
    await notify(third, { message: 'error 7', kind: 'error' })
    await expect.poll(() => acknowledged().length, { timeout: 60_000 }).toBe(8)
    const pushes = service.received.filter(
      ({ path, acknowledged: done }) => done && path === `/${TOPIC}`,
    )
    expect(pushes.map(({ body }) => body).toSorted()).toEqual([
      'alarm 2',
      ...[1, 3, 4, 5, 6, 7].map((n) => `error ${n}`),
    ])
    expect(service.received.filter(({ path }) => path.startsWith('/hook'))).toHaveLength(1)
    const health = JSON.stringify(await third.health())
    const log = JSON.stringify(await deliveries(third))
    for (const text of [health, log, third.stderr()]) {
      expect(text).not.toContain(TOPIC)
      expect(text).not.toContain('SECRETPART')
    }
  })

  it('that fail affect nothing else but are shown in health', async () => {
    writeSettings(channelsAt('http://127.0.0.1:9'))
    const daemon = await start()
    expect(await notify(daemon, { message: 'broken', kind: 'error' })).toMatchObject({
      status: 'success',
      queued: true,
    })
    await expect
      .poll(async () => (await daemon.health()).subsystems.notifications)
      .toMatchObject({ status: 'degraded', channels: { push: { waiting: 1 } } })
    const tested = await daemon.fetch('/api/notifications/test', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${daemon.token()}` },
      body: '{"channel":"push"}',
    })
    expect(await tested.json()).toMatchObject({ delivered: false })
    const open = await post(daemon, { channel: 'push' }, '/api/notifications/test')
    expect(open.status).toBe(401)
  })

  it('report sessions that took long', async () => {
    const service = await startService()
    writeSettings({ ...channelsAt(service.address), thresholds: { longTaskMinutes: 0.0001 } })
    const daemon = await start()
    const push = (events: object[]) => post(daemon, events, '/api/observability/events')
    const row = (type: string, more: object = {}) => ({
      timestamp: new Date().toISOString(),
      session_id: 'long',
      source: 'tool-activity',
      type,
      ...more,
    })
    await push([row('user_prompt', { prompt: 'x' })])
    // More than 6 ms have passed, because two requests to the daemon lie in between.
    await daemon.health()
    await daemon.health()
    await push([row('turn_end', { message_preview: '🗣️ The roof is tight.' })])
    await expect
      .poll(() => service.received.map(({ body }) => body))
      .toEqual(['The roof is tight.'])
  })
})

const START_OF_B = { session_id: 'uuid-b', hook_event_name: 'SessionStart', source: 'startup' }

describe('steward announce', () => {
  it('prints immediately and posts in the background', async () => {
    writeSettings()
    writeWork(['a'])
    await start()
    const args = ['announce', 'the "roof" $(x)', '--request', 'fix it', '--slug', 'a']
    const done = await cli.run([...args, '--phase', 'BUILD', '--json'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    await expect.poll(() => readWork().sessions.a?.phase, { timeout: 20_000 }).toBe('build')
    await expect.poll(voiceLog, { timeout: 20_000 }).toContain('the \\"roof\\"')
  })

  it('only prints if no daemon runs', async () => {
    const done = await cli.run(['announce', 'fix the roof'])
    expect(done).toEqual({ code: 0, stdout: 'Fixing the roof\n', stderr: '' })
  })

  it.skipIf(findProgram('tmux') === undefined)(
    'uses the tmux window it was called in, and so does the hook',
    async () => {
      writeSettings()
      writeWork(['a', 'b'])
      const daemon = await start()
      const socket = join(cli.files, 'tmux.sock')
      const tmux = (...args: string[]): string =>
        execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args], {
          encoding: 'utf8',
        }).trim()
      const env = `env STEWARD_HOME=${cli.home} ${process.execPath}`
      const announce = `${env} ${PACKED_LAUNCHER} announce --phase BUILD --session uuid-a`
      // Starts it as an assistant in that window would.
      const started = cli.write('started.json', JSON.stringify(START_OF_B))
      const tell = `${env} ${PACKED_HOOK} SessionStart --host claude < ${started}`
      tmux('new-session', '-d', '-n', 'theirs', 'sleep 300')
      endTmux = () => void tmux('kill-server')
      tmux('new-window', '-d', '-n', 'mine', `${announce} && sleep 300`)
      tmux('new-window', '-d', '-n', 'by hook', `${tell} && sleep 300`)
      const names = () => tmux('list-windows', '-F', '#{window_name}').split('\n')
      await expect.poll(names, { timeout: 20_000 }).toEqual(['theirs', '🔨 a', 'by hook'])
      await expect
        .poll(() => recallTab(resolveHome({ STEWARD_HOME: cli.home }), 'uuid-b'))
        .toMatchObject({ value: { kind: 'tmux' } })
      await notify(daemon, { message: 'x', phase: 'LEARN', slug: 'b' })
      await notify(daemon, { message: 'x', phase: 'VERIFY', slug: 'a' })
      await expect.poll(names, { timeout: 20_000 }).toEqual(['theirs', '✅ a', '📚 b'])
    },
  )
})
