import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { findDaemon, type Home } from '@steward/platform'

export interface DemoDaemonOptions {
  /** The paths of Node and of this program's launcher. */
  program: readonly [node: string, launcher: string]
  environment: Readonly<Record<string, string | undefined>>
}

const START_MS = 60_000
const LOOK_MS = 100
const END_MS = 10_000

/**
 * A daemon of its own for the demo day. It gets nothing of the person's environment but the path of
 * programs, so that it reads none of their keys and records.
 */
export const createStartDemoDaemon =
  ({ program: [node, launcher], environment }: DemoDaemonOptions) =>
  async (home: Home, person: string) => {
    const left = await findDaemon(home)
    if (left !== undefined) return { address: left.address, stop: () => endProcess(left.pid, home) }
    const child = spawn(node, [launcher, 'daemon', '--port', '0'], {
      env: {
        PATH: environment.PATH,
        HOME: person,
        STEWARD_HOME: home.root,
        STEWARD_DEMO: 'yes',
        LLM_PROVIDER: 'offline',
      },
      stdio: 'ignore',
    })
    let ended: string | undefined
    child.once('error', ({ message }) => {
      ended = message
    })
    child.once('exit', (code) => {
      ended = `its daemon exited with ${code}`
    })
    for (let waited = 0; waited < START_MS && ended === undefined; waited += LOOK_MS) {
      const found = await findDaemon(home)
      if (found !== undefined) {
        const stop = async (): Promise<void> => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const exit = once(child, 'exit')
          child.kill('SIGTERM')
          await exit
        }
        return { address: found.address, stop }
      }
      await sleep(LOOK_MS)
    }
    child.kill('SIGKILL')
    throw new Error(ended ?? `its daemon did not start within ${START_MS / 1000} s`)
  }

/** A daemon that was left by one that was killed. */
const endProcess = async (pid: number, home: Home): Promise<void> => {
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; waited < END_MS; waited += LOOK_MS) {
    if ((await findDaemon(home)) === undefined) return
    await sleep(LOOK_MS)
  }
}
