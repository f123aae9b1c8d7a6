import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import type { Cli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const brain = z.object({ pid: z.int(), isolated: z.boolean() })
const server = brain.extend({ address: z.url() })

/** A real `steward hosted serve` as a child process, in any role. */
interface HostedChild {
  stderr: () => string
  /** Resolves with the exit code, however it ended. */
  exited: Promise<number | null>
  /** Sends SIGTERM; returns the exit code. */
  stop: () => Promise<number | null>
  /** Sends SIGKILL to the process itself. */
  kill: () => Promise<void>
}

export type HostedBrain = HostedChild & z.infer<typeof brain>
export type HostedProcess = HostedChild & z.infer<typeof server>

/**
 * Starts a server on the data home of `cli`, on a free port by default, and waits until it is
 * ready.
 */
export const startHostedProcess = (
  cli: Cli,
  env: Record<string, string>,
  { port = 0, flags = [] }: { port?: number; flags?: readonly string[] } = {},
): Promise<HostedProcess> => start(cli, env, ['--port', String(port), ...flags], server)

/** Starts a process that runs sessions and serves no clients. */
export const startHostedBrain = (cli: Cli, env: Record<string, string>): Promise<HostedBrain> =>
  start(cli, env, ['--brain-only'], brain)

const start = async <Said extends { pid: number }>(
  cli: Cli,
  env: Record<string, string>,
  flags: readonly string[],
  announcement: z.ZodType<Said>,
): Promise<HostedChild & Said> => {
  const args = [PACKED_LAUNCHER, 'hosted', 'serve', ...flags, '--json']
  const child = spawn(process.execPath, args, {
    cwd: cli.files,
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      ...env,
    },
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
  if (done) throw new Error(`the process ended with ${await exited}: ${text}`)
  const said = announcement.parse(JSON.parse(value))
  return {
    ...said,
    stderr: () => text,
    exited,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      // The launcher may be a parent of the process itself.
      process.kill(said.pid, 'SIGKILL')
      await exited
    },
  }
}
