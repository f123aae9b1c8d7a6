import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf, StewardError } from '@steward/contract'
import { codeOf, findDaemon, isHomeClaimed, resolveHome } from '@steward/platform'
import type { ServiceIo, Supervisor } from './supervisor.ts'

const LOOK_MS = 100
/** Longer than a daemon takes to start or to stop gracefully. */
const LONGEST_MS = 20_000

/**
 * Gracefully stops a daemon on this data home that the supervisor did not start, such as one from
 * `npm start`. Returns its pid, or undefined if there is none.
 */
export const stopOtherDaemon = async (
  io: Pick<ServiceIo, 'env' | 'homedir' | 'signal'>,
  supervisor: Pick<Supervisor, 'status'>,
): Promise<number | undefined> => {
  const home = resolveHome(io.env, io.homedir)
  let asked: number | undefined
  for (let waitedMs = 0; isHomeClaimed(home); waitedMs += LOOK_MS) {
    if (waitedMs >= LONGEST_MS) throw stillThere(asked)
    const daemon = asked === undefined ? await findDaemon(home) : undefined
    if (daemon !== undefined) {
      if (daemon.pid === (await supervisor.status()).pid) return undefined
      askToStop(daemon.pid)
      asked = daemon.pid
    }
    await sleep(LOOK_MS, undefined, { signal: io.signal })
  }
  return asked
}

const askToStop = (pid: number): void => {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (thrown) {
    const code = codeOf(thrown)
    // It exited between the check and the signal.
    if (code === 'ESRCH') return
    const reason = `pid ${pid} cannot be stopped from here (${reasonOf(thrown)}); stop it as the user who started it`
    throw new StewardError('daemon_running', { reason }, thrown)
  }
}

const stillThere = (asked: number | undefined): StewardError =>
  new StewardError('daemon_running', {
    reason:
      asked === undefined
        ? `it does not finish starting within ${LONGEST_MS / 1000} s`
        : `pid ${asked} was asked to stop and has not within ${LONGEST_MS / 1000} s; try again`,
  })
