import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Cli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const announcement = z.object({ address: z.url(), pid: z.int(), isolated: z.boolean() })

/** A real `steward hosted serve` as a child process. */
export interface HostedProcess extends z.infer<typeof announcement> {
  stderr: () => string
  /** SIGTERM; answers with the exit code. */
  stop: () => Promise<number | null>
  /** SIGKILL of the server itself. */
  kill: () => Promise<void>
}

/** Starts a server on the data home of `cli`, on a free port unless one is given, and waits until it is ready. */
export const startHostedProcess = async (
  cli: Cli,
  env: Record<string, string>,
  port = 0,
): Promise<HostedProcess> => {
  const args = [PACKED_LAUNCHER, 'hosted', 'serve', '--port', String(port), '--json']
  const child = spawn(process.execPath, args, {
    cwd: cli.files,
    env: { PATH: process.env.PATH, HOME: cli.files, STEWARD_HOME: cli.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString()
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const { value, done } = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next()
  if (done) throw new Error(`the server ended with ${await exited}: ${text}`)
  const said = announcement.parse(JSON.parse(value))
  return {
    ...said,
    stderr: () => text,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      // The launcher may stand before the server itself.
      process.kill(said.pid, 'SIGKILL')
      await exited
    },
  }
}
