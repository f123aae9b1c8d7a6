import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RunningDaemon {
  address: string
  pid: number
  stop: () => Promise<void>
}

const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')

/** The real `steward daemon`, up and listening. */
export const startDaemonProcess = async (home: string, port = 0): Promise<RunningDaemon> => {
  const child = spawn(process.execPath, [LAUNCHER, 'daemon', '--port', String(port), '--json'], {
    env: { PATH: process.env.PATH, HOME: home, STEWARD_HOME: home, LLM_PROVIDER: 'offline' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      // The watchdog also writes its notices here.
      if (!line.startsWith('{')) continue
      const said: unknown = JSON.parse(line)
      if (typeof said === 'object' && said !== null && 'address' in said)
        return String(said.address)
    }
    throw new Error('the daemon ended before it was ready')
  })()
  const address = await ready
  return {
    address,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
