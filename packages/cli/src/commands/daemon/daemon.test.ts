import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { openBrowser } from '../open/open.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-daemon-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const begin = (args: readonly string[], env: Record<string, string> = {}) => {
  const asked = new AbortController()
  const io = memoryIo({
    args,
    env: { STEWARD_HOME: home, LLM_PROVIDER: 'offline', ...env },
    homedir: home,
    signal: asked.signal,
  })
  return { io, done: runCli(io), stop: () => asked.abort() }
}

/** The address that a daemon prints. */
const addressOf = async (daemon: ReturnType<typeof begin>): Promise<string> => {
  await expect.poll(() => daemon.io.out.text(), { timeout: 20_000 }).toContain('\n')
  const said: unknown = JSON.parse(daemon.io.out.text())
  return isJsonObject(said) ? String(said.address) : ''
}

test('the daemon runs until it is asked to end, and ends with 0', async () => {
  const daemon = begin(['daemon', '--port', '0', '--json'])
  const address = await addressOf(daemon)
  expect((await fetch(`${address}/health`)).status).toBe(200)
  daemon.stop()
  expect(await daemon.done).toBe(0)
  await expect(fetch(`${address}/health`)).rejects.toThrow()
})

test('open prints an address that signs in once', async () => {
  const daemon = begin(['daemon', '--port', '0', '--json'])
  const address = await addressOf(daemon)
  const opened = begin(['open', '--print'])
  expect(await opened.done).toBe(0)
  const url = opened.io.out.text().trim()
  expect(url).toMatch(new RegExp(`^${address}/auth\\?code=[\\w-]{43}$`))
  const signIn = async () => (await fetch(url, { redirect: 'manual' })).status
  expect([await signIn(), await signIn()]).toEqual([303, 401])
  daemon.stop()
  await daemon.done
})

test('a second daemon on the home and a taken port end with 4', async () => {
  const daemon = begin(['daemon', '--port', '0', '--json'])
  const address = await addressOf(daemon)
  const second = begin(['daemon', '--port', '0'])
  expect(await second.done).toBe(4)
  expect(second.io.err.text()).toContain(`a daemon already runs on this data home: pid`)
  const underLaunchd = begin(['daemon', '--port', '0'], { STEWARD_SUPERVISED: 'launchd' })
  expect(await underLaunchd.done).toBe(0)
  expect(underLaunchd.io.err.text()).toContain('a daemon already runs on this data home')
  const busy = begin(['daemon', '--port', new URL(address).port, '--home', join(home, 'other')])
  expect(await busy.done).toBe(4)
  expect(busy.io.err.text()).toContain('another Steward daemon listens there')
  daemon.stop()
  await daemon.done
})

test('settings with a mistake end it with 2, naming line and key', async () => {
  writeFileSync(join(home, 'settings.json'), '{\n  "auth": {"mode": 1}\n}')
  const daemon = begin(['daemon'])
  expect(await daemon.done).toBe(2)
  expect(daemon.io.err.text()).toContain('line 2: auth.mode')
})

test('an invalid --port exits 2, an invalid STEWARD_PORT exits 5', async () => {
  expect(await begin(['daemon', '--port', '70000']).done).toBe(2)
  const daemon = begin(['daemon'], { STEWARD_PORT: 'x' })
  expect(await daemon.done).toBe(5)
  expect(daemon.io.err.text()).toContain('STEWARD_PORT')
})

test('a disabled daemon reports so and exits 0', async () => {
  const off = { observability: { server: { enabled: false } } }
  writeFileSync(join(home, 'settings.json'), JSON.stringify(off))
  const daemon = begin(['daemon'])
  expect(await daemon.done).toBe(0)
  expect(daemon.io.out.text()).toContain('observability.server.enabled is false')
})

test('open without a daemon says how to start one', async () => {
  const opened = begin(['open', '--print'])
  expect(await opened.done).toBe(5)
  expect(opened.io.err.text()).toContain('steward daemon')
})

test('detects a machine without a browser', async () => {
  const path = process.env.PATH
  process.env.PATH = home
  try {
    expect(await openBrowser('http://127.0.0.1/', 'linux')).toContain('ENOENT')
    writeFileSync(join(home, 'open'), '#!/bin/sh\n', { mode: 0o755 })
    expect(await openBrowser('http://127.0.0.1/', 'darwin')).toBeUndefined()
  } finally {
    process.env.PATH = path
  }
})
