import { expect, onTestFinished, test } from 'vitest'
import { messageOf } from '../testing/messages.ts'
import { serveHttp } from '../testing/serve-http.ts'
import { serveNtfy } from '../testing/serve-ntfy.ts'
import { askPush } from './ask-push.ts'
import { addressOfPush, sendPush } from './send-push.ts'

const PORTS = {
  fetch: (address: string, init: RequestInit) => fetch(address, init),
  abortAfter: AbortSignal.timeout,
}
const TOPIC = 'steward-0123456789abcdef'
const NOW = Date.parse('2026-11-15T08:00:00Z')

const targetOf = (server: string) => {
  const address = addressOfPush({ server, topic: TOPIC })
  if (!address.ok) throw address.error
  return { address: address.value }
}

const start = async ({ knowsIds = true } = {}) => {
  let nowMs = NOW
  const service = await serveNtfy(() => nowMs)
  onTestFinished(service.close)
  service.knowsIds = knowsIds
  const target = targetOf(service.address)
  const ask = (given: Parameters<typeof messageOf>[0] = {}, elapsedMs = 1000) =>
    askPush(messageOf(given), elapsedMs, target, PORTS)
  const send = (given: Parameters<typeof messageOf>[0] = {}) =>
    sendPush(messageOf(given), target, PORTS)
  const pass = (durationMs: number) => {
    nowMs += durationMs
  }
  return { service, ask, send, pass }
}

test("it requests messages since before the attempt, by the server's clock", async () => {
  const { service, ask } = await start()
  expect(await ask({}, 61_500)).toEqual({ state: 'missing' })
  expect(service.questions).toEqual([`/${TOPIC}/json?poll=1&since=662s`])
})

test('a message is identified by its id, whatever its text, and by nothing else', async () => {
  const { ask, send } = await start()
  await send()
  expect(await ask({ message: 'changed' })).toMatchObject({ state: 'found' })
  expect(await ask({ id: 'ffffffff-86ea-4f84-a7bf-b394bd4fd89d' })).toEqual({ state: 'missing' })
})

test('a message deleted on the phone had arrived', async () => {
  const { service, ask } = await start()
  const event = 'message_delete'
  service.kept.push({ id: 'x', time: NOW / 1000, event, sequence_id: messageOf().id })
  expect(await ask()).toMatchObject({ state: 'found' })
})

test('where ids are not given back, title, text and time decide', async () => {
  const { ask, send, pass } = await start({ knowsIds: false })
  const given = { title: 'Grüße', message: 'Füße (3 times)  ' }
  await send(given)
  expect(await ask(given)).toMatchObject({ state: 'found' })
  expect(await ask({ ...given, count: 4 })).toMatchObject({ state: 'found' })
  expect(await ask({ ...given, message: 'Füße' })).toEqual({ state: 'missing' })
  expect(await ask({ ...given, title: 'Gruß' })).toEqual({ state: 'missing' })
  await send({ message: 'said often', count: 3 })
  expect(await ask({ message: 'said often', count: 7 })).toMatchObject({ state: 'found' })
  pass(10_000)
  expect(await ask(given, 4000)).toEqual({ state: 'missing' })
  expect(await ask(given, 11_000)).toMatchObject({ state: 'found' })
})

test.each([
  [401, 'unaskable'],
  [403, 'unaskable'],
  [404, 'unaskable'],
  [429, 'failed'],
  [500, 'failed'],
])('HTTP %i: %s, without the topic', async (status, state) => {
  const service = await serveHttp()
  service.answer = { status, headers: { 'retry-after': '7' } }
  const outcome = await askPush(messageOf(), 0, targetOf(service.address), PORTS)
  expect(outcome).toMatchObject({ state, ...(state === 'failed' ? { retryAfterMs: 7000 } : {}) })
  expect(JSON.stringify(outcome)).not.toContain(TOPIC)
})

test('a server that is not ntfy cannot be queried', async () => {
  const service = await serveHttp()
  const outcome = await askPush(messageOf(), 0, targetOf(service.address), PORTS)
  expect(outcome).toMatchObject({ state: 'unaskable' })
})

test('a token is sent where there is one', async () => {
  const service = await serveHttp()
  const target = { ...targetOf(service.address), token: 'tk_secret' }
  await askPush(messageOf(), 0, target, PORTS)
  expect(service.posts[0]?.headers).toContainEqual(['Authorization', 'Bearer tk_secret'])
})
