import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { StewardError } from '@steward/contract'
import { type Home, isLockHeld } from '@steward/platform'
import type { Supervisor, SupervisorPorts } from '../supervisor.ts'
import { type SupervisorState, supervisorFiles, supervisorState } from './state.ts'

export interface BuiltInPorts extends Pick<SupervisorPorts, 'program' | 'show'> {
  home: Home
  /** This program with `service supervise`. */
  superviseArgv: readonly string[]
  sleep: (delayMs: number) => Promise<unknown>
}

const LOOK_MS = 50
const START_MS = 15_000
/** Longer than the supervisor's own limit for a hanging daemon. */
const STOP_MS = 35_000

/** For machines without systemd and launchd: a small process of ours that outlives the terminal. */
export const createBuiltIn = (ports: BuiltInPorts): Supervisor => {
  const files = supervisorFiles(ports.home)
  const isRunning = () => isLockHeld(files.lock)

  const readLastState = async (): Promise<SupervisorState | undefined> => {
    if (!existsSync(files.state)) return undefined
    const parsed = supervisorState.safeParse(JSON.parse(await readFile(files.state, 'utf8')))
    return parsed.success ? parsed.data : undefined
  }
  // The pid in the file is only valid while its writer holds the lock.
  const readState = async () => (isRunning() ? readLastState() : undefined)
  const until = async (what: string, limitMs: number, done: () => Promise<boolean>) => {
    for (let waitedMs = 0; !(await done()); waitedMs += LOOK_MS) {
      if (waitedMs >= limitMs) throw new StewardError('timeout', { subject: what, limitMs })
      await ports.sleep(LOOK_MS)
    }
  }
  const signal = async (name: 'SIGTERM' | 'SIGHUP'): Promise<boolean> => {
    const state = await readState()
    if (state === undefined) return false
    process.kill(state.supervisorPid, name)
    return true
  }

  const start = async (): Promise<string> => {
    if (isRunning()) return 'it is running already'
    const [command = '', ...args] = ports.superviseArgv
    const child = spawn(command, args, {
      detached: true,
      stdio: 'ignore',
      env: { ...ports.program.env },
    })
    child.unref()
    // A supervisor whose daemon is refused exits immediately and leaves its last state.
    const started = async () => (await readLastState())?.supervisorPid === child.pid
    await until('starting the supervisor', START_MS, started)
    return `started; it prints to ${files.log}`
  }
  const stop = async (): Promise<string> => {
    if (!(await signal('SIGTERM'))) return 'it is not running'
    await until('stopping the daemon', STOP_MS, async () => !isRunning())
    return 'stopped'
  }

  return {
    kind: 'built-in',
    install: async () => {
      const done = await start()
      return `${done}. Nothing starts it at boot: add \`steward service start\` to your login`
    },
    uninstall: stop,
    start,
    stop,
    restart: async () => {
      const before = await readState()
      if (before === undefined) return start()
      await signal('SIGHUP')
      await until('restarting the daemon', STOP_MS, async () => {
        const now = await readState()
        return now?.state === 'running' && now.pid !== before.pid
      })
      return 'restarted'
    },
    status: async () => {
      const state = await readState()
      const refused = (state ?? (await readLastState()))?.refusal ?? null
      return {
        supervisor: 'built-in',
        installed: false,
        running: state?.state === 'running',
        pid: state?.pid ?? null,
        restarts: state?.restarts ?? null,
        refused,
        detail: describe(state),
      }
    },
    logs: async ({ lines, follow }) => {
      if (!existsSync(files.log)) {
        throw new StewardError('not_found', {
          what: 'log',
          name: files.log,
          hint: ' (nothing was started yet)',
        })
      }
      await ports.show(['tail', '-n', String(lines), ...(follow ? ['-F'] : []), files.log])
    },
  }
}

const describe = (state: SupervisorState | undefined): string | null => {
  if (state === undefined) return null
  return state.lastExit === null ? state.state : `${state.state}, last ended with ${state.lastExit}`
}
