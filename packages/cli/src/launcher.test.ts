import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { afterAll, describe, expect, it, vi } from 'vitest'

const launcher = join(import.meta.dirname, '..', 'bin', 'steward.mjs')
const folder = mkdtempSync(join(tmpdir(), 'steward-launcher-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A Node that cannot run TypeScript represents one that is too old. */
const OLD = ['--no-experimental-strip-types']

const start = (nodeArgs: string[], file: string, ...args: string[]) =>
  spawnSync(process.execPath, [...nodeArgs, file, ...args], {
    encoding: 'utf8',
    env: { ...process.env, STEWARD_HOME: folder },
  })

describe('the launcher', () => {
  it('runs the program where Node can', () => {
    expect(start([], launcher, '--version')).toMatchObject({
      status: 0,
      stdout: `${PLATFORM_VERSION}\n`,
      stderr: '',
    })
  })

  it('starts the bundled Node where it cannot, and passes the exit code on', () => {
    expect(start(OLD, launcher, '--version')).toMatchObject({
      status: 0,
      stdout: `${PLATFORM_VERSION}\n`,
      stderr: '',
    })
    expect(start(OLD, launcher, 'rnu')).toMatchObject({ status: 2 })
  })

  it('says what to install if neither fits', () => {
    mkdirSync(join(folder, 'bin'))
    const alone = join(folder, 'bin', 'steward.mjs')
    copyFileSync(launcher, alone)
    const { status, stderr } = start(OLD, alone, '--version')
    expect(status).toBe(5)
    expect(stderr).toMatch(/needs 22\.18 or later/)
    expect(stderr).toMatch(/npm ci/)
  })
})

describe.runIf(process.platform === 'linux')('a launcher that is killed', () => {
  it('ends the program with it', async () => {
    const action = join(folder, 'USER', 'ACTIONS', 'A_WAIT_LONG')
    mkdirSync(action, { recursive: true })
    const manifest = { name: 'A_WAIT_LONG', description: 'waits', input: {}, output: {} }
    writeFileSync(join(action, 'action.json'), JSON.stringify(manifest))
    const code = 'export const execute = () => new Promise((end) => setTimeout(end, 120_000))'
    writeFileSync(join(action, 'action.mjs'), code)
    const args = [...OLD, launcher, 'run', 'A_WAIT_LONG', '--local', '--verbose']
    const child = spawn(process.execPath, args, {
      env: { ...process.env, STEWARD_HOME: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await once(child.stderr, 'data')
    const inner = firstChildOf(child.pid ?? 0)
    expect(isAlive(inner)).toBe(true)
    child.kill('SIGKILL')
    await vi.waitFor(() => expect(isAlive(inner)).toBe(false), { timeout: 20_000 })
  })
})

const firstChildOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

/** A zombie has no command line any more. */
const isAlive = (pid: number): boolean => {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, 'utf8') !== ''
}
