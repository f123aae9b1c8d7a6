import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRelayPair,
  createRelaySecret,
  deriveRelayKeys,
  hashRelayAccess,
  openFrame,
  RELAY_LIMITS,
  type RelayKeys,
  relayAccessOf,
  relayPage,
  sealFrame,
} from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../../edge/src/local/testing/start-workers.ts'

const RELAY = 'RELAY'
const PLAINTEXT = 'npm publish --tag next'
const folder = mkdtempSync(join(tmpdir(), 'steward-relay-'))
let workers: RunningWorkers
let secret: string
let keys: RelayKeys
const place = { device: 'phone1', direction: 'up' } as const

beforeAll(async () => {
  workers = await startWorkers(
    [
      {
        name: RELAY,
        entry: `export const Relay = edge.createRelayClass()
          export default edge.createRelayWorker({ '/': { type: 'text/html', body: 'page' } })`,
        options: { durableObjects: { RELAY: { className: 'Relay', useSQLite: true } } },
      },
    ],
    folder,
  )
  secret = createRelaySecret()
  const [daemon, phone] = [await createRelayPair(), await createRelayPair()]
  const between = [daemon.publicKey, phone.publicKey] as const
  const { privateKey } = phone
  const parts = { device: 'phone1', secret, privateKey, peer: daemon.publicKey, between }
  keys = await deriveRelayKeys(parts)
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (path: string, body?: unknown, token?: string | null) => {
  const response = await workers.call(RELAY, path, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ...(token === undefined ? {} : { token }),
  })
  return { status: response.status, body: await response.text() }
}
const register = async (...ids: string[]) => {
  const access = await hashRelayAccess(await relayAccessOf(secret))
  return ask('/relay/devices', { devices: ids.map((id) => ({ id, access })) })
}
const seal = (counter: number, expires = Date.now() + 60_000) =>
  sealFrame(keys, place, { counter, expires }, { text: PLAINTEXT })
const poll = async (ack: number, waitMs = 0) => {
  const { body } = await ask('/relay/poll', { ack, waitMs })
  return relayPage.parse(JSON.parse(body)).frames
}

it('serves the page to anybody, and frames only to the daemon and registered devices', async () => {
  expect(await ask('/', undefined, null)).toEqual({ status: 200, body: 'page' })
  expect((await ask('/relay/poll', { ack: 0, waitMs: 0 }, null)).status).toBe(401)
  expect((await ask('/relay/devices', { devices: [] }, 'wrong')).status).toBe(401)
  const access = await relayAccessOf(secret)
  const frame = await seal(1)
  expect((await ask('/box/phone1', frame, access)).status).toBe(401)
  await register('phone1')
  expect((await ask('/box/phone1', frame, null)).status).toBe(401)
  expect((await ask('/box/phone1', frame, 'wrong')).status).toBe(401)
  expect((await ask('/box/phone1', frame, access)).status).toBe(202)
  const [held] = await poll(0)
  expect(held).toMatchObject({ device: 'phone1', frame })
  // Until it is confirmed, it comes again: the daemon may have been killed.
  expect(await poll(0)).toHaveLength(1)
  expect(await poll(held?.seq ?? 0)).toEqual([])
  expect(await poll(0)).toEqual([])
  if (held === undefined) throw new Error('no frame')
  expect(await openFrame(keys, place, held.frame)).toContain(PLAINTEXT)
  const changed = { ...held.frame, expires: held.frame.expires + 1 }
  expect(await openFrame(keys, place, changed)).toBeUndefined()
})

it('passes a frame on at once, stores ciphertext only, and forgets a revoked device', async () => {
  await register('phone1')
  const access = await relayAccessOf(secret)
  const waiting = poll(0, RELAY_LIMITS.waitMs)
  expect((await ask('/box/phone1', await seal(2), access)).status).toBe(202)
  expect(await waiting).toHaveLength(1)
  const down = { ...(await seal(1)), key: 'abc' }
  await ask('/relay/send', { device: 'phone1', slot: 'list', frame: { ...down, counter: 1 } })
  await ask('/relay/send', { device: 'phone1', slot: 'list', frame: { ...down, counter: 2 } })
  const { body } = await ask('/box/phone1?after=0', undefined, access)
  expect(relayPage.parse(JSON.parse(body)).frames).toMatchObject([{ frame: { counter: 2 } }])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  expect(files.length).toBeGreaterThan(0)
  const stored = files.map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
  const all = [...stored, ...workers.logs].join('\n')
  expect(all).toContain('phone1')
  expect(all).not.toContain(PLAINTEXT)
  expect(all).not.toContain(Buffer.from(PLAINTEXT).toString('base64url'))
  expect(all).not.toContain(secret)
  expect(all).not.toContain(access)
  const listening = ask('/box/phone1?after=1000', undefined, access)
  await register()
  expect((await listening).status).toBe(401)
  expect((await ask('/box/phone1', await seal(3), access)).status).toBe(401)
  await register('phone1')
  expect(await poll(0)).toEqual([])
})

it('limits size, number, rate and lifetime of frames', async () => {
  await register('phone1')
  const access = await relayAccessOf(secret)
  const send = async (frame: unknown) => (await ask('/box/phone1', frame, access)).status
  expect(await send(await seal(4, Date.now() - 1))).toBe(400)
  expect(await send(await seal(4, Date.now() + 2 * RELAY_LIMITS.frameMs))).toBe(400)
  const frame = await seal(4)
  expect(await send({ ...frame, data: 'x'.repeat(RELAY_LIMITS.frameChars + 1) })).toBe(400)
  expect(await send({ ...frame, note: PLAINTEXT })).toBe(400)
  const sent: number[] = []
  for (let count = 0; count <= RELAY_LIMITS.frames; count++) sent.push(await send(frame))
  expect(sent).toEqual([...Array(RELAY_LIMITS.frames).fill(202), 429])
  // Read frames make room, but the rate is limited, too.
  await poll((await poll(0)).at(-1)?.seq ?? 0)
  const more: number[] = []
  for (let count = 0; count < 20; count++) more.push(await send(frame))
  expect(more).toContain(202)
  expect(more.at(-1)).toBe(429)
})
