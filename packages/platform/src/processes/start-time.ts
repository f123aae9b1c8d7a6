import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { codeOf, isMissing } from '../error-code.ts'

/**
 * The start time of a process as digits: together with its id it is unique. Undefined if there is
 * no such process or the system does not report it.
 */
export const readStartTime = (pid: number, platform = process.platform): string | undefined =>
  look(pid, platform)?.startTime

/** Whether it still runs; zombies do not count. */
export const isAlive = (pid: number, platform = process.platform): boolean => {
  const state = look(pid, platform)?.state
  return state === undefined ? canBeSignalled(pid) : !ENDED.has(state)
}

/** Some systems hide the processes of other users, and only signals reveal that they exist. */
const canBeSignalled = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH'
  }
}

interface Look {
  state: string
  startTime: string
}

const ENDED = new Set(['Z', 'X'])

const look = (pid: number, platform: NodeJS.Platform): Look | undefined =>
  platform === 'linux' ? lookInProc(pid) : askPs(pid)

const STATE = 0
/** In kernel ticks. */
const START_TIME = 19

const lookInProc = (pid: number): Look | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const { [STATE]: state, [START_TIME]: startTime } = fields
    return state !== undefined && startTime !== undefined ? { state, startTime } : undefined
  } catch (thrown) {
    const code = codeOf(thrown)
    // ESRCH: it ended between opening and reading.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw thrown
  }
}

/** Independent of the person's language and zone, so that values compare. */
const PS_ENV = { LC_ALL: 'C', TZ: 'UTC' }

const askPs = (pid: number): Look | undefined => {
  try {
    const said = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, ...PS_ENV },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, state, began] = /^\s*(\S)\S*\s+(.+?)\s*$/.exec(said) ?? []
    const at = Date.parse(`${began} UTC`)
    return state === undefined || Number.isNaN(at) ? undefined : { state, startTime: String(at) }
  } catch (thrown) {
    // `ps` exits non-zero if there is no such process; some systems lack it.
    if (isExit(thrown) || isMissing(thrown)) return undefined
    throw thrown
  }
}

const isExit = (thrown: unknown): boolean =>
  thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number'
