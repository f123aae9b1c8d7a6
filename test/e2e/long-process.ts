import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import type { Cli } from './cli-process.ts'

/** A command that runs until it is stopped. */
export interface LongProcess {
  stderr: () => string
  /** Resolves when the text is on stderr, including earlier output. */
  said: (text: string) => Promise<void>
  /** Resolves with the exit code, however it ended. */
  exited: Promise<number | null>
  kill: () => Promise<void>
  /** Sends SIGTERM; returns the exit code. */
  stop: () => Promise<number | null>
}

export interface LongProcessOptions {
  args?: readonly string[]
  env?: Record<string, string>
}

/** Starts a command on the data home of `cli`. */
export const spawnSteward = (
  cli: Cli,
  launcher: string,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [launcher, ...args], {
    cwd: cli.files,
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      LLM_PROVIDER: 'offline',
      ...env,
    },
  })

/** Collects the output of a process from its start; `nextLine` reads its standard output. */
export const follow = (
  child: ChildProcessWithoutNullStreams,
): LongProcess & { nextLine: () => Promise<string> } => {
  let text = ''
  const waiting = new Set<() => void>()
  child.stderr.on('data', (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString()
    for (const look of waiting) look()
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    nextLine: async () => {
      const { value, done } = await lines.next()
      if (done) throw new Error(`the process ended with ${await exited}: ${text}`)
      return String(value)
    },
    stderr: () => text,
    exited,
    said: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!text.includes(wanted)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}
