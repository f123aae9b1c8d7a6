import {
  API,
  createRelayPair,
  deriveRelayKeys,
  isJsonObject,
  openFrame,
  type PairingCode,
  type RelayKeys,
  type RelayReply,
  type RelayRequest,
  readPairingCode,
  relayAccessOf,
  relayPage,
  relayReply,
  sealFrame,
} from '@steward/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
  TOKEN,
} from '../../../../../edge/src/local/testing/start-workers.ts'
import { openAttention } from '../testing/open-attention.ts'

const RELAY = 'RELAY'
let workers: RunningWorkers
let url: string
beforeAll(async () => {
  workers = await startWorkers([
    {
      name: RELAY,
      entry: `export const Relay = edge.createRelayClass()
        export default edge.createRelayWorker({})`,
      options: { durableObjects: { RELAY: { className: 'Relay', useSQLite: true } } },
    },
  ])
  url = new URL((await workers.call(RELAY, '/health')).url).origin
}, START_LIMIT_MS)
afterAll(() => workers.stop())

/** The clock of the daemon is ahead by this much. */
let shiftMs = 0
const clock = {
  now: () => Date.now() + shiftMs,
  setTimer: (delayMs: number, action: () => void) => {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
}
/** One data home for all tests; each starts the daemon again. */
let scene: Awaited<ReturnType<typeof openAttention>>
beforeAll(async () => {
  const settings = { edge: { workers: { 'exec-relay': url } } }
  scene = await openAttention({ clock, settings, environment: { AUTH_TOKEN: TOKEN } })
  await scene.stop()
})
beforeEach(() => scene.begin())
afterEach(() => scene.stop())
afterAll(() => scene.remove())

const call: typeof scene.call = (...given) => scene.call(...given)
const logged = () => scene.logged()
/** How many requests wait. */
const waits = async () => (await scene.list()).length
const ask = (id: string) => scene.ask({ id, at: new Date().toISOString() })

/** What the page does, without a browser. */
const openPhone = async ({ device, key, secret }: PairingCode) => {
  const own = await createRelayPair()
  const between = [key, own.publicKey] as const
  const { privateKey } = own
  const keys = await deriveRelayKeys({ device, secret, privateKey, peer: key, between })
  const access = await relayAccessOf(secret)
  let counter = 0
  let after = 0
  const post = (body: unknown) =>
    workers.call(RELAY, `/box/${device}`, {
      method: 'POST',
      body: JSON.stringify(body),
      token: access,
    })
  const seal = async (
    request: RelayRequest,
    expires = Date.now() + 60_000,
    by: RelayKeys = keys,
  ) => {
    counter += 1
    const place = { device, direction: 'up' } as const
    const frame = await sealFrame(by, place, { counter, expires }, request)
    return { ...frame, key: own.publicKey }
  }
  const next = async (): Promise<RelayReply> => {
    const path = `/box/${device}?after=${after}`
    const page = relayPage.parse(await (await workers.call(RELAY, path, { token: access })).json())
    const [held] = page.frames
    if (held === undefined) throw new Error('no reply')
    after = held.seq
    const text = await openFrame(keys, { device, direction: 'down' }, held.frame)
    return relayReply.parse(JSON.parse(text ?? 'null'))
  }
  return {
    device,
    post,
    seal,
    send: async (request: RelayRequest) => (await post(await seal(request))).status,
    next,
    /** The list of what waits may come again before it. */
    nextResult: async (): Promise<RelayReply> => {
      const reply = await next()
      return reply.type === 'result' ? reply : next()
    },
  }
}
const pair = async (name: string, answers?: boolean) => {
  const paired = await call(API.pairAnswerDevice, { body: { name, answers } })
  const link = new URL(isJsonObject(paired) ? String(paired.link) : '')
  expect(link.origin).toBe(url)
  const code = readPairingCode(link.hash)
  if (code === undefined) throw new Error('no code')
  return code
}
const allow = (id: string): RelayRequest => ({ type: 'answer', id, answer: { decision: 'allow' } })

describe('devices at the relay', () => {
  it('see what waits, answer only when they may, and once', async () => {
    const phone = await openPhone(await pair('phone'))
    const asked = ask('relay-one-1')
    await phone.send({ type: 'watch' })
    expect(await phone.next()).toMatchObject({
      type: 'waiting',
      device: 'phone',
      answers: false,
      pushKey: expect.any(String),
    })
    await phone.send(allow('relay-one-1'))
    expect(await phone.nextResult()).toMatchObject({
      type: 'result',
      ok: false,
      message: 'the device may not answer',
    })
    await call(API.allowAnswerDevice, { params: { id: 'phone' }, body: { answers: true } })
    const frame = await phone.seal(allow('relay-one-1'))
    await phone.post(frame)
    expect(await asked).toEqual({ status: 'answered', answer: { decision: 'allow' } })
    await expect
      .poll(phone.next)
      .toMatchObject({ type: 'result', ok: true, message: 'The assistant has your answer.' })
    // The same frame again, and the same counter with other content.
    await phone.post(frame)
    await phone.post({ ...frame, counter: frame.counter + 5 })
    await expect.poll(async () => (await logged()).length).toBe(4)
    expect((await logged()).toReversed()).toEqual([
      expect.stringContaining('device phone was refused: the device may not answer'),
      'pass allowed once by device phone (request relay-one-1) | Bash: npm publish',
      expect.stringContaining('device phone was refused: it was used before'),
      expect.stringContaining('device phone was refused: its signature is wrong'),
    ])
  })

  it('are paired by the first that scans the code; forged and expired frames allow nothing', async () => {
    const code = await pair('tablet', true)
    const tablet = await openPhone(code)
    const stranger = await openPhone({ ...code, key: (await createRelayPair()).publicKey })
    const asked = ask('relay-two-1')
    // Without the daemon's own key the secret is not enough.
    await stranger.send(allow('relay-two-1'))
    await tablet.send({ type: 'watch' })
    expect(await tablet.next()).toMatchObject({ type: 'waiting', device: 'tablet' })
    const second = await openPhone(code)
    await second.send(allow('relay-two-1'))
    const refusals = async () =>
      (await logged()).filter((line) => line.includes('device tablet was refused')).toReversed()
    await expect.poll(async () => (await refusals()).length).toBe(2)
    shiftMs = 5 * 60_000
    await tablet.send(allow('relay-two-1'))
    await expect
      .poll(refusals)
      .toEqual([
        expect.stringContaining('its signature is wrong'),
        expect.stringContaining('its code was scanned by another device before'),
        expect.stringContaining('it expired'),
      ])
    shiftMs = 0
    await tablet.send({ type: 'answer', id: 'relay-two-1', answer: { decision: 'deny' } })
    expect(await asked).toEqual({ status: 'answered', answer: { decision: 'deny' } })
  })

  it('lose and double nothing when the daemon is killed, and are refused once revoked', async () => {
    const phone = await openPhone(await pair('watch', true))
    await phone.send({ type: 'watch' })
    expect(await phone.next()).toMatchObject({ type: 'waiting' })
    const asked = ask('relay-three')
    await expect.poll(waits).toBe(1)
    await scene.stop()
    await expect(asked).rejects.toMatchObject({ code: 'module_failed' })
    // Sent while no daemon runs.
    await phone.send(allow('relay-three'))
    let again: Promise<unknown> | undefined
    await scene.begin(() => {
      again = ask('relay-three')
    })
    expect(await again).toEqual({ status: 'answered', answer: { decision: 'allow' } })
    const before = (await logged()).length
    // The frame comes again, as after a kill before it was confirmed.
    await scene.stop()
    await scene.begin()
    await phone.send({ type: 'watch' })
    await expect.poll(phone.next).toMatchObject({ type: 'waiting' })
    expect(await logged()).toHaveLength(before)
    const waiting = ask('relay-four')
    await expect.poll(waits).toBe(1)
    const beganMs = Date.now()
    await call(API.revokeAnswerDevice, { params: { id: 'watch' }, body: {} })
    await expect.poll(() => phone.send(allow('relay-four')), { interval: 50 }).toBe(401)
    expect(Date.now() - beganMs).toBeLessThan(1000)
    await scene.stop()
    await expect(waiting).rejects.toMatchObject({ code: 'module_failed' })
  })
})
