import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DEFAULT_PATH, endProcess, findCommand, quote, readIfPresent } from '@steward/platform'
import { z } from 'zod'
import { requireFromEdge } from '../edge-root.ts'

/** `setpriv` makes a child die with its parent; not every system has it. */
const findSetpriv = (): string | null =>
  ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path)) ?? null

/**
 * Ensures that no workerd outlives us, however we end, because it would hold the storage of the
 * next start. Where possible (Linux with setpriv) the child dies with its parent; everywhere the
 * pids are recorded, and leftovers of an earlier start are killed here. Returns a function that makes
 * Miniflare start workerd in its usual way again.
 */
export const prepareWorkerd = async (
  stateFolder: string,
  setpriv: string | null = findSetpriv(),
): Promise<() => void> => {
  await mkdir(stateFolder, { recursive: true, mode: 0o700 })
  const pids = join(stateFolder, 'workerd.pids')
  await endLeftovers(pids)
  const launcher = join(stateFolder, 'workerd.sh')
  const tie = setpriv === null ? '' : `${setpriv} --pdeathsig KILL `
  const program = `${tie}${limitMemory()}${quote(findWorkerd())}`
  const script = `#!/bin/sh\necho $$ >> ${quote(pids)}\nexec ${program} "$@"\n`
  await writeFile(launcher, script)
  await chmod(launcher, 0o700)
  process.env.MINIFLARE_WORKERD_PATH = launcher
  return () => {
    if (process.env.MINIFLARE_WORKERD_PATH === launcher) delete process.env.MINIFLARE_WORKERD_PATH
  }
}

/** workerd has no limit of its own, unlike the platform; an allocation in a loop would fill the machine. */
const MEMORY_BYTES = 2 * 1024 ** 3

const limitMemory = (): string => {
  const prlimit = findCommand('prlimit', DEFAULT_PATH)
  return prlimit.ok ? `${prlimit.value} --core=0 --data=${MEMORY_BYTES} ` : ''
}

const endLeftovers = async (pids: string): Promise<void> => {
  for (const pid of await readPids(pids)) {
    const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' })
    // The number may belong to another program by now.
    if (stdout.includes('workerd') && stdout.includes('--control-fd')) endProcess(pid)
  }
  await rm(pids, { force: true })
  await appendFile(pids, '', { mode: 0o600 })
}

const readPids = async (file: string): Promise<number[]> =>
  ((await readIfPresent(file)) ?? '')
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1)

const findWorkerd = (): string => {
  const fromMiniflare = createRequire(requireFromEdge.resolve('miniflare'))
  return z.object({ default: z.string() }).parse(fromMiniflare('workerd')).default
}
