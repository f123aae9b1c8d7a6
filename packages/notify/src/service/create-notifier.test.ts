import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '@steward/contract'
import { createRedactor, resolveHome } from '@steward/platform'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { anyText, NASTY } from '../channels/testing/messages.ts'
import { type HttpStandIn, serveHttp } from '../channels/testing/serve-http.ts'
import { createVirtualClock } from '../outbox/testing/virtual-clock.ts'
import { createNotifier } from './create-notifier.ts'
import { notifierMachine } from './notifier-machine.ts'

const TOPIC = 'steward-0123456789abcdef'
const PATH = '/api/webhooks/1/webhook-secret'

const open = async (given: { root?: string; notifications?: object } = {}) => {
  const service = await serveHttp()
  const root = given.root ?? mkdtempSync(join(tmpdir(), 'steward-notifier-'))
  const home = resolveHome({ STEWARD_HOME: root })
  const clock = createVirtualClock()
  const parsed = settings.parse({
    notifications: given.notifications ?? {
      push: { enabled: true, topic: TOPIC, server: service.address },
      chat: { enabled: true, webhook: service.address + PATH },
    },
  })
  const environment = {}
  const redactor = createRedactor({ LLM_API_KEY: 'key-0123456789' })
  const said: string[] = []
  const notifier = createNotifier({
    ...notifierMachine(),
    home,
    settings: () => parsed,
    environment: () => environment,
    redactor: () => redactor,
    now: clock.now,
    random: () => 1,
    setTimer: clock.setTimer,
    log: { warn: (line) => said.push(line) },
  })
  onTestFinished(async () => {
    await notifier.stop()
    rmSync(root, { recursive: true, force: true })
  })
  return { notifier, service, clock, said, home }
}

const bodies = ({ posts }: HttpStandIn) =>
  posts.map(({ path, body }) => `${path} ${body.toString()}`).toSorted()

test('every function uses its channels and styles', async () => {
  const { notifier, service } = await open()
  expect((await notifier.notifyTaskComplete('done')).deliveries).toEqual([])
  await notifier.notifyBackgroundAgent('Researcher', 'found it')
  await notifier.notifyError('broke')
  await notifier.notify({ message: 'intruder', kind: 'security' })
  await notifier.sendPush('direct', { title: 'T', priority: 1 })
  await notifier.sendChat('to chat', { title: 'C', color: 0x010203 })
  expect(await notifier.flush()).toBe(true)
  const pushed = service.posts.filter(({ path }) => path === `/${TOPIC}`)
  const headerOf = (name: string) =>
    pushed.map(({ body, headers }) => [body.toString(), headers.find(([key]) => key === name)?.[1]])
  expect(Object.fromEntries(headerOf('Priority'))).toEqual({
    'found it': '3',
    broke: '4',
    intruder: '5',
    direct: '1',
  })
  expect(Object.fromEntries(headerOf('Tags'))).toMatchObject({
    'found it': 'robot,white_check_mark',
    broke: 'warning,x',
  })
  expect(Object.fromEntries(headerOf('Title'))).toMatchObject({
    'found it': 'Researcher',
    direct: 'T',
  })
  const chats = service.posts.filter(({ path }) => path === PATH).map(({ body }) => body.toString())
  expect(chats.map((text) => JSON.parse(text).embeds[0].color)).toEqual([0xfee75c, 0x010203])
})

test('a task that took long is a longTask, measured for its session', async () => {
  const { notifier, clock } = await open()
  await notifier.recordTaskStart('slow')
  clock.set(clock.now() + 4 * 60_000)
  await notifier.recordTaskStart('quick')
  clock.set(clock.now() + 60_001)
  expect((await notifier.notifyTaskComplete('a', { sessionId: 'slow' })).kind).toBe('longTask')
  expect((await notifier.notifyTaskComplete('b', { sessionId: 'quick' })).kind).toBe('taskComplete')
  expect((await notifier.notifyTaskComplete('c', { sessionId: 'slow' })).kind).toBe('taskComplete')
  expect((await notifier.notifyTaskComplete('d', { durationMs: 400_000 })).kind).toBe('longTask')
})

test('a failed notification is sent again at once when a person asks for it', async () => {
  const { notifier, service, clock } = await open()
  service.answer = { status: 403 }
  notifier.start()
  const { deliveries } = await notifier.notifyError('broke')
  const id = deliveries[0]?.id ?? ''
  await clock.advance(0)
  await expect.poll(() => notifier.find(id)?.state).toBe('failed')
  service.answer = { status: 200 }
  expect(notifier.retry(id)).toEqual({ ok: true, value: { id, sendsAt: clock.now() } })
  expect(notifier.retry(id)).toMatchObject({
    ok: false,
    error: { code: 'invalid_input', message: expect.stringContaining('it is waiting') },
  })
  await clock.advance(0)
  await expect.poll(() => notifier.find(id)?.state).toBe('delivered')
  expect(notifier.retry(id)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('it is delivered') },
  })
  expect(notifier.retry('gone')).toMatchObject({ ok: false, error: { code: 'not_found' } })
  expect(bodies(service).filter((line) => line.endsWith('broke'))).toHaveLength(2)
})

test('started, it delivers by itself; a service that is away is tried again and shown', async () => {
  const { notifier, service, clock, said } = await open()
  service.answer = { status: 503 }
  notifier.start()
  await notifier.notifyError('broke')
  await clock.advance(0)
  await expect.poll(() => notifier.health().status).toBe('degraded')
  expect(notifier.health()).toMatchObject({
    reasons: [expect.stringContaining('push: the push server')],
    channels: {
      push: { ready: true, waiting: 1, failures: 1, lastError: expect.stringContaining('503') },
    },
  })
  expect(said.join()).toContain('HTTP 503; it is tried again')
  service.answer = { status: 200 }
  await clock.advance(5000)
  await expect.poll(() => notifier.health().status).toBe('ok')
  expect(service.posts).toHaveLength(2)
  expect(notifier.deliveries(1)).toMatchObject([{ state: 'delivered', attempts: 2 }])
})

test('a channel without setup is recorded as skipped with a remedy, and degrades nothing', async () => {
  const { notifier, home } = await open({ notifications: {} })
  const { deliveries, stored } = await notifier.notify({ message: 'x', kind: 'security' })
  expect(stored).toBe(true)
  expect(deliveries.map(({ channel, state }) => [channel, state])).toEqual([
    ['push', 'skipped'],
    ['chat', 'skipped'],
    // Nothing else is set up.
    ['desktop', 'waiting'],
  ])
  expect(deliveries[0]?.detail).toContain('steward notify --setup push')
  const events = readFileSync(join(home.stateDir, 'events.jsonl'), 'utf8').split('\n')
  const rows = events.filter((row) => row.includes('"type":"notification.skipped"'))
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/"channel":"push".*steward notify --setup push/)
  expect(notifier.health()).toMatchObject({ status: 'ok', channels: { push: { ready: false } } })
})

test('a test bypasses the outbox and reports problems', async () => {
  const { notifier, service } = await open()
  expect(await notifier.test('push')).toMatchObject({ state: 'delivered' })
  service.answer = { status: 404 }
  expect(await notifier.test('chat')).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('create a new one') },
  })
  expect(await notifier.test('email')).toMatchObject({ error: { code: 'not_configured' } })
  expect(notifier.deliveries(3).map(({ channel, state }) => [channel, state])).toEqual([
    ['email', 'failed'],
    ['chat', 'failed'],
    ['push', 'delivered'],
  ])
})

test('no secret is sent, stored, logged, or in the event log', async () => {
  const { notifier, service, said, home } = await open()
  service.answer = { status: 500 }
  const text = `key-0123456789 ${TOPIC} ${service.address}${PATH}`
  await notifier.notify({
    message: text,
    title: text,
    kind: 'security',
    click: `https://x/${TOPIC}`,
  })
  await notifier.flush()
  const events = readFileSync(join(home.stateDir, 'events.jsonl'), 'utf8')
  const sent = service.posts.map(({ body, headers }) => body.toString() + JSON.stringify(headers))
  const shown = JSON.stringify([notifier.deliveries(9), notifier.health(), said, sent]) + events
  for (const secret of ['key-0123456789', TOPIC, 'webhook-secret'])
    expect(shown).not.toContain(secret)
  expect(events).toContain('"type":"notification.requested"')
})

test('on a failing disk nothing is thrown, it is sent immediately, and health reports it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-notifier-'))
  mkdirSync(join(root, 'MEMORY', 'STATE'), { recursive: true })
  writeFileSync(join(root, 'state'), 'a file where the folder should be')
  const { notifier, service, clock } = await open({ root })
  notifier.start()
  const outcome = await notifier.notifyError('the disk is full')
  expect(outcome).toMatchObject({ stored: false, reason: expect.stringContaining('outbox.sqlite') })
  await expect.poll(() => bodies(service)).toEqual([`/${TOPIC} the disk is full`])
  for (let count = 0; count < 20; count++) await notifier.notifyError(`more ${count}`)
  await notifier.recordTaskStart('s')
  expect(await notifier.notifyTaskComplete('x', { sessionId: 's' })).toMatchObject({
    kind: 'taskComplete',
  })
  expect(notifier.deliveries(5)).toEqual([])
  expect(await notifier.flush()).toBe(false)
  await expect.poll(() => service.posts.length).toBe(5)
  expect(notifier.health()).toMatchObject({ status: 'degraded' })
  // There is room again: new notices are stored and delivered.
  rmSync(join(root, 'state'))
  await clock.advance(10_000)
  expect(await notifier.notifyError('after')).toMatchObject({ stored: true })
  await clock.advance(0)
  await expect.poll(() => service.posts.length).toBe(6)
  await expect.poll(() => notifier.health().status).toBe('ok')
})

test('a notice with a key is sent once, across processes', async () => {
  const { notifier, service, home } = await open()
  const notice = { message: 'F_NEWS failed', kind: 'error' as const, key: 'run/1' }
  const [first, again] = await Promise.all([notifier.notify(notice), notifier.notify(notice)])
  expect([first?.repeated, again?.repeated]).toEqual([undefined, true])
  expect(again?.deliveries.map(({ id }) => id)).toEqual(first?.deliveries.map(({ id }) => id))
  await notifier.flush()
  await notifier.stop()
  expect(await notifier.notify({ ...notice, message: 'in other words' })).toMatchObject({
    repeated: true,
    deliveries: [{ state: 'delivered' }],
  })
  await notifier.flush()
  expect(bodies(service)).toEqual([`/${TOPIC} F_NEWS failed`])
  const events = readFileSync(join(home.stateDir, 'events.jsonl'), 'utf8')
  expect(events.match(/notification\.requested/g)).toHaveLength(1)
})

test('a notice with a key that cannot be stored is not sent, so that it can come again', async () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-notifier-'))
  mkdirSync(join(root, 'MEMORY', 'STATE'), { recursive: true })
  writeFileSync(join(root, 'state'), 'a file where the folder should be')
  const { notifier, service } = await open({ root })
  const notice = { message: 'x', kind: 'error' as const, key: 'run/1' }
  expect(await notifier.notify(notice)).toMatchObject({ stored: false })
  rmSync(join(root, 'state'))
  expect((await notifier.notify(notice)).repeated).toBeUndefined()
  await notifier.flush()
  expect(bodies(service)).toEqual([`/${TOPIC} x`])
})

test('a notice that needs a channel is refused without one', async () => {
  const { notifier } = await open({ notifications: {} })
  const notice = { message: 'x', key: 'flow/1', needsChannel: true as const }
  expect(await notifier.notify({ ...notice, kind: 'error' })).toMatchObject({
    stored: false,
    unreachable: expect.stringContaining('steward notify --setup push'),
  })
  expect(await notifier.notify({ ...notice, kind: 'taskComplete' })).toMatchObject({
    unreachable: 'notifications.routing sends taskComplete to no channel',
  })
  expect(notifier.deliveries(9)).toEqual([])
  expect(await notifier.notify({ ...notice, channels: ['desktop'] })).not.toHaveProperty('repeated')
})

test('channels of quiet hours wait for the morning; errors do not', async () => {
  const service = await serveHttp()
  const { notifier, clock } = await open({
    notifications: {
      push: { enabled: true, topic: TOPIC, server: service.address },
      quietHours: { from: '22:00', to: '09:00', timezone: 'UTC', channels: ['push'] },
    },
  })
  notifier.start()
  await notifier.notify({ message: 'it can wait', kind: 'longTask' })
  await notifier.notify({ message: 'it cannot', kind: 'error' })
  await clock.advance(1000)
  await expect.poll(() => bodies(service)).toEqual([`/${TOPIC} it cannot`])
  await clock.advance(3_600_000)
  await expect.poll(() => bodies(service)).toEqual([`/${TOPIC} it can wait`, `/${TOPIC} it cannot`])
})

test('a notice after the stop is stored for the next process', async () => {
  const { notifier, service, home } = await open()
  notifier.start()
  await notifier.stop()
  expect(await notifier.notifyError('late')).toMatchObject({ stored: true })
  await notifier.stop()
  chmodSync(home.databases, 0o700)
  expect(await notifier.flush()).toBe(true)
  expect(bodies(service)).toEqual([`/${TOPIC} late`])
})

test('no text and no notice makes it throw', async () => {
  const { notifier } = await open()
  await fc.assert(
    fc.asyncProperty(anyText, anyText, async (title, message) => {
      const outcome = await notifier.notify({ title, message, click: title, kind: 'security' })
      expect(outcome.stored).toBe(true)
    }),
    { numRuns: 40 },
  )
  const long = await notifier.notifyError(NASTY.repeat(1000))
  expect(long.stored).toBe(true)
  const odd: unknown = JSON.parse('{"message": 5}')
  expect(await Reflect.apply(notifier.notify, undefined, [odd])).toMatchObject({ stored: false })
})

test('no form of a secret leaves, or stays in a record', async () => {
  const { notifier, service, home } = await open()
  for (const { text } of SINK_CASES) {
    await notifier.notify({ message: text, title: text.slice(0, 40), kind: 'security' })
  }
  expect(await notifier.flush()).toBe(true)
  // Bursts are merged, so there are fewer posts than notices.
  expect(service.posts.length).toBeGreaterThan(0)
  expect(findLeaks(bodies(service).join('\n'))).toEqual([])
  const deliveries = notifier.deliveries(500)
  expect(deliveries.length).toBeGreaterThanOrEqual(SINK_CASES.length)
  expect(findLeaks(JSON.stringify(deliveries))).toEqual([])
  const records = readFileSync(join(home.stateDir, 'events.jsonl'), 'utf8')
  expect(findLeaks(records)).toEqual([])
})

test('the outbox shows the held-back texts with the required rates', async () => {
  const { notifier } = await open()
  await Promise.all(
    HELD_BACK_TEXTS.map((text, at) =>
      notifier.notify({ message: text, title: text, sessionId: `s${at}`, channels: ['push'] }),
    ),
  )
  const rows = new Map(notifier.deliveries(1000).map((row) => [row.sessionId, JSON.stringify(row)]))
  expect(missedRates(HELD_BACK_TEXTS.map((_, at) => rows.get(`s${at}`) ?? ''))).toEqual([])
})

test('a notice that was answered meanwhile is cancelled, and removed from the phones that show it', async () => {
  const { notifier, service } = await open()
  const waiting = (key: string) => ({ message: key, kind: 'waiting' as const, key })
  await notifier.notify(waiting('early'))
  await notifier.withdraw('early')
  await notifier.notify(waiting('late'))
  await notifier.flush()
  await notifier.withdraw('late')
  await notifier.withdraw('unknown')
  const [late, early] = notifier.deliveries(2)
  expect([early?.state, early?.detail, late?.state]).toEqual([
    'skipped',
    'it was answered meanwhile',
    'delivered',
  ])
  expect(bodies(service)).toEqual([`/${TOPIC} late`, `/${TOPIC}/${late?.id} `])
})
