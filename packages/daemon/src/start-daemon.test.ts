import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, health } from '@steward/contract'
import { findDaemon } from '@steward/platform'
import { findFreePorts } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DaemonModule, handle } from './module.ts'
import { type DaemonOptions, startDaemon } from './start-daemon.ts'

let root = ''
const stops: (() => Promise<void>)[] = []
const lines: string[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'daemon-'))
  lines.length = 0
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  rmSync(root, { recursive: true, force: true })
})

const start = async (given: Partial<DaemonOptions> = {}) => {
  const daemon = await startDaemon({
    env: {},
    homedir: root,
    home: root,
    port: 0,
    library: root,
    dashboard: join(root, 'no-dashboard'),
    write: (line) => void lines.push(line),
    writeOut: () => undefined,
    modules: () => [],
    ...given,
  })
  if (daemon === undefined) throw new Error('it is switched off')
  stops.push(daemon.stop)
  return daemon
}
const writeSettings = (value: unknown) =>
  writeFileSync(join(root, 'settings.json'), JSON.stringify(value))
const readHealth = async (address: string) =>
  health.parse(await (await fetch(`${address}/health`)).json())
const portOf = (address: string) => Number(new URL(address).port)

test('reports its health, its address and what this version lacks', async () => {
  const { address } = await start()
  const said = await readHealth(address)
  expect(said).toMatchObject({
    status: 'ok',
    reasons: [],
    service: 'steward',
    pid: process.pid,
    port: portOf(address),
  })
  for (const name of ['dashboard', 'cron']) {
    expect(said.subsystems[name]?.status).toBe('unavailable')
  }
  expect(JSON.stringify(said)).not.toContain(root)
})

test('it listens on both loopback addresses where there are both', async () => {
  const { address } = await start()
  const six = await fetch(`${address.replace('127.0.0.1', '[::1]')}/health`).catch(() => undefined)
  const listening = lines.join().includes('[::1]')
  expect(six?.status).toBe(listening ? 200 : undefined)
})

test('a module that fails is named, its routes answer 503, and the rest is served', async () => {
  const failing: DaemonModule = {
    name: 'sessions',
    handlers: [handle(API.getAlgorithm, () => new Response('{}'))],
    start: () => Promise.reject(new Error(`${root}/MEMORY is read-only`)),
    health: () => ({ status: 'ok' }),
  }
  const { address } = await start({ modules: () => [failing] })
  const said = await readHealth(address)
  expect(said).toMatchObject({
    status: 'degraded',
    reasons: ['sessions: HOME/MEMORY is read-only'],
  })
  const response = await fetch(`${address}/api/algorithm`)
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'module_failed' }])
})

test('a route of the table that no module serves reports so, after the same checks', async () => {
  const { address } = await start()
  const response = await fetch(`${address}/api/algorithm`)
  expect([response.status, await response.json()]).toMatchObject([
    501,
    { code: 'not_available', status: 'not_available' },
  ])
  const headers = { 'content-type': 'application/json' }
  const guarded = await fetch(`${address}/api/runs`, { method: 'POST', headers, body: '{}' })
  expect(guarded.status).toBe(401)
})

test('a second daemon on the same home is refused and names the first', async () => {
  const { address } = await start()
  await expect(start()).rejects.toThrow(`pid ${process.pid} at ${address}`)
})

test('a second daemon is refused too when someone removed the state folder of the first', async () => {
  await start()
  rmSync(join(root, 'state'), { recursive: true })
  await expect(start()).rejects.toThrow('its state folder was removed while it runs')
})

test('it starts although someone wrote into the file of its lock', async () => {
  mkdirSync(join(root, 'state'))
  writeFileSync(join(root, 'state', 'daemon.lock'), 'this is not a lock\n'.repeat(100))
  const { address } = await start()
  expect((await readHealth(address)).status).toBe('ok')
  await expect(start()).rejects.toThrow(address)
})

test('it lives while a module fails, and is not ready', async () => {
  const failing: DaemonModule = {
    name: 'sessions',
    handlers: [],
    start: () => Promise.reject(new Error('no disk')),
    health: () => ({ status: 'ok' }),
  }
  const ask = async (address: string, path: string) => {
    const response = await fetch(`${address}${path}`)
    return [response.status, await response.json()]
  }
  const { address, stop } = await start({ modules: () => [failing] })
  expect(await ask(address, '/health')).toMatchObject([200, { status: 'degraded', ready: false }])
  expect(await ask(address, '/health/live')).toEqual([200, { alive: true }])
  expect(await ask(address, '/health/ready')).toEqual([
    503,
    { ready: false, reasons: ['sessions: no disk'] },
  ])
  await stop()
  const sound = await start()
  expect(await ask(sound.address, '/health/ready')).toEqual([200, { ready: true, reasons: [] }])
})

test('an empty token is reported in health and to refused callers; a start replaces it', async () => {
  const { address, stop } = await start()
  writeFileSync(join(root, 'token'), '')
  expect(await readHealth(address)).toMatchObject({
    status: 'degraded',
    reasons: [expect.stringContaining('the token file is not configured: it is empty')],
  })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' }
  const refused = await fetch(`${address}/api/runs`, { method: 'POST', headers, body: '{}' })
  expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'not_configured' }])
  await stop()
  const again = await start()
  expect(readFileSync(join(root, 'token'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  expect((await readHealth(again.address)).status).toBe('ok')
})

test('a taken port is refused, naming the holder if it is a Steward daemon', async () => {
  const { address } = await start()
  const other = join(root, 'other')
  await expect(start({ home: other, port: portOf(address) })).rejects.toThrow(
    'another Steward daemon listens there',
  )
  const foreign = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
  stops.push(() => new Promise((resolve) => foreign.close(() => resolve())))
  const taken = foreign.address()
  const port = typeof taken === 'object' && taken !== null ? taken.port : 0
  await expect(start({ home: other, port })).rejects.toThrow('another program listens there')
})

test('a daemon that could not start leaves the home free', async () => {
  const { address, stop } = await start()
  const other = join(root, 'other')
  await expect(start({ home: other, port: portOf(address) })).rejects.toThrow('port')
  await stop()
  await expect(start({ home: other })).resolves.toBeDefined()
})

test('after a stop the home is free and no daemon is found there', async () => {
  const { stop, home, done } = await start()
  expect(await findDaemon(home)).toMatchObject({ pid: process.pid })
  await stop()
  await done
  expect(await findDaemon(home)).toBeUndefined()
  await expect(start()).resolves.toBeDefined()
})

test('the settings may switch it off', async () => {
  writeSettings({ observability: { server: { enabled: false } } })
  await expect(start()).rejects.toThrow('it is switched off')
})

test('an address beyond loopback needs strict mode, and stays strict', async () => {
  const server = { host: '0.0.0.0' }
  writeSettings({ observability: { server } })
  await expect(start()).rejects.toThrow('needs auth.mode "strict"')
  writeSettings({ observability: { server }, auth: { mode: 'strict' } })
  const { address } = await start()
  const local = address.replace('0.0.0.0', '127.0.0.1')
  writeSettings({ observability: { server }, auth: { mode: 'default' } })
  await expect
    .poll(async () => (await readHealth(local)).reasons.join(), { timeout: 10_000 })
    .toContain('stays strict')
  expect(await (await fetch(`${local}/api/auth`)).json()).toMatchObject({ mode: 'strict' })
})

test('a change of mode is in force without a restart', async () => {
  const { address } = await start()
  writeSettings({ auth: { mode: 'strict' } })
  await expect
    .poll(async () => (await fetch(`${address}/agents`)).status, { timeout: 10_000 })
    .toBe(401)
})

test('a port change in the settings is reported to need a restart', async () => {
  writeSettings({ observability: { server: { port: 0 } } })
  const { address } = await start({ port: undefined })
  writeSettings({ observability: { server: { port: 31_999 } } })
  await expect
    .poll(async () => (await readHealth(address)).reasons.join(), { timeout: 10_000 })
    .toContain('observability.server.port 31999 takes effect at the next start')
})

test('a browser signs in with a code, once, and stays so after a restart', async () => {
  const { address, stop } = await start({ port: await findFreePorts(1) })
  const token = readFileSync(join(root, 'token'), 'utf8').trim()
  const json = { 'content-type': 'application/json' }
  const asked = await fetch(`${address}/api/auth/code`, {
    method: 'POST',
    headers: json,
    body: '{}',
  })
  expect(asked.status).toBe(401)
  const made = await fetch(`${address}/api/auth/code`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${token}` },
    body: '{}',
  })
  const { code } = API.createAuthCode.answer.parse(await made.json())
  const signIn = () => fetch(`${address}/auth?code=${code}`, { redirect: 'manual' })
  const signedIn = await signIn()
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/'])
  const cookie = signedIn.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  expect((await signIn()).status).toBe(401)
  const ask = async (base: string) =>
    (await fetch(`${base}/api/auth`, { headers: { cookie: cookie.split(';')[0] ?? '' } })).json()
  expect(await ask(address)).toEqual({ signedIn: true, mode: 'default' })
  await stop()
  const again = await start({ port: portOf(address) })
  expect(await ask(again.address)).toEqual({ signedIn: true, mode: 'default' })
  expect(lines.join()).not.toContain(token)
})

test('settings that cannot be read keep it from starting, with line and key', async () => {
  writeFileSync(join(root, 'settings.json'), '{\n "auth": {"mode": "open"}\n}')
  await expect(start()).rejects.toThrow('line 2: auth.mode: must be one of default, strict')
})
