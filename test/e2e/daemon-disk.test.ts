import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

/**
 * Runs the daemon with a data home on a read-only or full disk, which bubblewrap provides. The search
 * index of the documentation has room on it.
 */
const DISK_BYTES = 5 * 1024 * 1024

let cli: Cli
beforeEach(() => {
  cli = createCli()
  mkdirSync(cli.home, { recursive: true })
})
afterEach(() => cli.remove())

const DAEMON = [process.execPath, PACKED_LAUNCHER, 'daemon', '--port', '0', '--json']

const startOn = (mount: readonly string[], command: readonly string[] = DAEMON) => {
  const args = ['--dev-bind', '/', '/', ...mount, '--die-with-parent', '--']
  const child = spawn('bwrap', [...args, ...command], {
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return { child, stderr: () => stderr, exited: once(child, 'exit') }
}

const errorBody = z.object({ code: z.string(), error: z.string() })

it('reports that the data home is not writable, and exits', async () => {
  const { stderr, exited } = startOn(['--ro-bind', cli.home, cli.home])
  const [code] = await exited
  expect(code).toBe(1)
  expect(stderr()).toContain('the file system is read-only')
  expect(stderr()).toContain(cli.home)
})

it('keeps running on a full disk: caller, log and health report it, and data that fits is kept', async () => {
  const { child, stderr, exited } = startOn(['--size', String(DISK_BYTES), '--tmpfs', cli.home])
  const [line = ''] = await once(createInterface({ input: child.stdout }), 'line')
  const { address } = z.object({ address: z.string() }).parse(JSON.parse(String(line)))
  const push = (sessions: Record<string, unknown>) =>
    fetch(`${address}/api/observability/state`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessions }),
    })

  expect((await push({ small: { task: 'fits' } })).status).toBe(200)
  const refused = await push({ large: { task: 'x'.repeat(DISK_BYTES) } })
  expect(refused.status).toBe(503)
  const { code, error } = errorBody.parse(await refused.json())
  expect(code).toBe('disk_full')
  expect(error).toMatch(/no space|ENOSPC/i)
  expect(stderr()).toContain('disk_full')

  const kept = await fetch(`${address}/api/observability/state`)
  expect(await kept.json()).toMatchObject({ sessions: { small: { task: 'fits' } } })
  expect((await push({ next: { task: 'fits too' } })).status).toBe(200)
  expect((await fetch(`${address}/health`)).status).toBe(200)
  child.kill('SIGTERM')
  await exited
})

it('a hosted server on a full disk says so to its clients, and keeps what it acknowledged', async () => {
  const keyFile = join(cli.files, 'key.json')
  const script = `"$0" "$1" hosted keys create --json > "$2" && exec "$0" "$1" hosted serve --port 0 --api-only --json`
  const mount = ['--size', String(DISK_BYTES), '--tmpfs', cli.home]
  const command = ['sh', '-c', script, process.execPath, PACKED_LAUNCHER, keyFile]
  const { child, stderr, exited } = startOn(mount, command)
  const [line = ''] = await once(createInterface({ input: child.stdout }), 'line')
  const { address } = z.object({ address: z.string() }).parse(JSON.parse(String(line)))
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(readFileSync(keyFile, 'utf8')))
  const headers = {
    'content-type': 'application/json',
    'x-api-key': key,
    'anthropic-beta': 'managed-agents-2026-04-01',
  }
  const create = (name: string) =>
    fetch(`${address}/v1/agents`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name, model: 'claude-sonnet-4-5', system: 'x'.repeat(90_000) }),
    })
  const kept: string[] = []
  let answer = await create('first')
  while (answer.ok) {
    kept.push(z.object({ id: z.string() }).parse(await answer.json()).id)
    answer = await create(`agent ${kept.length}`)
  }
  expect(answer.status).toBe(503)
  expect(answer.headers.get('x-should-retry')).toBe('true')
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { type: 'api_error', message: 'the disk of the server is full' },
  })
  expect(stderr()).toContain('disk_full')
  expect(kept.length).toBeGreaterThan(1)
  for (const id of kept) {
    expect((await fetch(`${address}/v1/agents/${id}`, { headers })).status).toBe(200)
  }
  child.kill('SIGTERM')
  await exited
})
