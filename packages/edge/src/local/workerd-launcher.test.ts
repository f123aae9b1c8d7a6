import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prepareWorkerd } from './workerd-launcher.ts'

// Real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const PROGRAM = join(import.meta.dirname, 'testing/run-workerd.ts')

let root = ''
let stateFolder = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-launcher-'))
  // A shell reads the path, so it contains characters that need quoting.
  stateFolder = join(root, "it's $HOME's state")
})
const mine: number[] = []
afterEach(() => {
  // The path of workerd is global to the process, which other test files share.
  delete process.env.MINIFLARE_WORKERD_PATH
  for (const pid of mine.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

/** Running, and not a zombie. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

const untilGone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await setImmediate()
}

const readPids = (): number[] =>
  readFileSync(join(stateFolder, 'workerd.pids'), 'utf8').trim().split('\n').map(Number)

/** Starts a real workerd under a parent, and kills the parent. */
const killParent = async (tie: 'tied' | 'loose'): Promise<number> => {
  const parent = spawn(process.execPath, [PROGRAM, stateFolder, tie], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(parent.stdout, 'data')
  const [pid = 0] = readPids()
  mine.push(pid)
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('workerd')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  return pid
}

test.runIf(existsSync('/usr/bin/setpriv'))('workerd ends with its killed parent', async () => {
  const pid = await killParent('tied')
  await untilGone(pid)
  expect(readPids()).toEqual([pid])
})

test('if nothing ties it to its parent, the next start kills leftovers', async () => {
  const pid = await killParent('loose')
  expect(isAlive(pid)).toBe(true)
  await prepareWorkerd(stateFolder)
  await untilGone(pid)
  expect(readFileSync(join(stateFolder, 'workerd.pids'), 'utf8')).toBe('')
})

test('a pid that belongs to another program by now is left alone', async () => {
  const other = spawn('sleep', ['60'])
  const pid = other.pid ?? 0
  mine.push(pid)
  await prepareWorkerd(stateFolder)
  writeFileSync(join(stateFolder, 'workerd.pids'), `${pid}\nno number\n0\n1\n999999999\n`)
  await prepareWorkerd(stateFolder)
  expect(isAlive(pid)).toBe(true)
  expect(statSync(join(stateFolder, 'workerd.pids')).mode & 0o777).toBe(0o600)
  expect(statSync(stateFolder).mode & 0o777).toBe(0o700)
})
