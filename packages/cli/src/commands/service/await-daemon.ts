import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import { askHealth, type Supervisor } from '@steward/daemon/service'
import { resolveHome } from '@steward/platform'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'

const LOOK_MS = 100
const LONGEST_MS = 20_000

/** Waits until the daemon of this supervisor answers, and gives its address. */
export const awaitDaemon = async (io: Io, supervisor: Supervisor): Promise<string> => {
  const home = resolveHome(io.env, io.homedir)
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += LOOK_MS) {
    const { pid, refused } = await supervisor.status()
    if (refused !== null) throw notRunning(refused)
    const asked = await askHealth(home)
    if ('health' in asked && asked.health.pid === pid) return asked.address
    await sleep(LOOK_MS, undefined, { signal: io.signal })
  }
  const { detail } = await supervisor.status()
  throw notRunning(
    `it does not listen after ${LONGEST_MS / 1000} s (${detail ?? 'not running'}); ${COMMAND} service logs says why`,
  )
}

const notRunning = (reason: string): StewardError =>
  new StewardError('module_failed', { module: 'daemon', reason })
