import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'

const launcher = join(import.meta.dirname, '..', 'bin', 'steward.mjs')
const folder = mkdtempSync(join(tmpdir(), 'steward-launcher-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A Node that cannot run TypeScript stands for one that is too old. */
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
      stdout: '5.0.0\n',
      stderr: '',
    })
  })

  it('starts the bundled Node where it cannot, and passes the exit code on', () => {
    expect(start(OLD, launcher, '--version')).toMatchObject({
      status: 0,
      stdout: '5.0.0\n',
      stderr: '',
    })
    expect(start(OLD, launcher, 'rnu')).toMatchObject({ status: 2 })
  })

  it('says what to install where neither fits', () => {
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
  it('takes the program with it', async () => {
    const child = spawn(
      process.execPath,
      [...OLD, launcher, 'run', 'A_X_Y', '--local', '--input', '-'],
      {
        env: { ...process.env, STEWARD_HOME: folder },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    )
    const inner = await firstChildOf(child.pid ?? 0)
    child.kill('SIGKILL')
    await vi.waitFor(() => expect(isAlive(inner)).toBe(false), { timeout: 20_000 })
  })
})

const firstChildOf = (pid: number): Promise<number> =>
  vi.waitFor(
    () => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      const first = Number(children[0])
      // It is Node by now, with the launcher's code running.
      expect(readFileSync(`/proc/${first}/cmdline`, 'utf8')).toContain('steward.mjs')
      return first
    },
    { timeout: 20_000 },
  )

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
