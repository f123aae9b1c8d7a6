import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

/** The daemon on a disk that cannot be written, or is full: bubblewrap gives it such a data home. */
const DISK_BYTES = 3 * 1024 * 1024

let cli: Cli
beforeEach(() => {
  cli = createCli()
  mkdirSync(cli.home, { recursive: true })
})
afterEach(() => cli.remove())

const startOn = (mount: readonly string[]) => {
  const args = ['--dev-bind', '/', '/', ...mount, '--die-with-parent', '--']
  const child = spawn(
    'bwrap',
    [...args, process.execPath, PACKED_LAUNCHER, 'daemon', '--port', '0', '--json'],
    {
      env: {
        PATH: process.env.PATH,
        HOME: cli.files,
        XDG_CACHE_HOME: CACHE_HOME,
        STEWARD_HOME: cli.home,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return { child, stderr: () => stderr, exited: once(child, 'exit') }
}

const errorBody = z.object({ code: z.string(), error: z.string() })

it('says that the data home cannot be written, and ends', async () => {
  const { stderr, exited } = startOn(['--ro-bind', cli.home, cli.home])
  const [code] = await exited
  expect(code).toBe(1)
  expect(stderr()).toContain('the file system is read-only')
  expect(stderr()).toContain(cli.home)
})

it('goes on when the disk is full: the caller, the log and health hear of it, and what fits is kept', async () => {
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
  const refused = await push({ large: { task: 'x'.repeat(2 * DISK_BYTES) } })
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
