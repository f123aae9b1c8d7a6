import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import type { Supervisor } from '@steward/daemon/service'
import { findDaemon, resolveHome } from '@steward/platform'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'

const LOOK_MS = 100
const LONGEST_MS = 20_000

/** Waits until a daemon that was just started listens; gives its address. */
export const awaitDaemon = async (io: Io, supervisor: Supervisor): Promise<string> => {
  const home = resolveHome(io.env, io.homedir)
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += LOOK_MS) {
    const daemon = await findDaemon(home)
    if (daemon !== undefined) return daemon.address
    await sleep(LOOK_MS, undefined, { signal: io.signal })
  }
  const { detail } = await supervisor.status()
  throw new StewardError('module_failed', {
    module: 'daemon',
    reason: `it does not listen after ${LONGEST_MS / 1000} s (${detail ?? 'not running'}); ${COMMAND} service logs says why`,
  })
}
