import { spawn } from 'node:child_process'
import { type Readable, Writable } from 'node:stream'
import { endGroup, type StartTimer } from '@steward/platform'
import type { FoundProgram } from './find-program.ts'

export interface AgentProcess {
  /** 0 if it could not be started. */
  pid: number
  input: WritableStream<Uint8Array>
  output: ReadableStream<Uint8Array>
  /** Aborted when it has ended. */
  ended: AbortSignal
  /** Why it ended, with the last lines of its standard error. */
  reason: () => string
  /** Waits a moment for its end, which the end of its output announces. */
  settled: (startTimer: StartTimer) => Promise<void>
  /** Ends it: closes its input, then kills it and everything that it started. */
  end: (startTimer: StartTimer) => Promise<void>
  /** Kills it and everything that it started. */
  kill: (startTimer: StartTimer) => Promise<void>
}

const GRACE_MS = 2000
const SETTLE_MS = 500
const KEPT_CHARS = 2000

/** Leads a process group of its own, so that the tools it started end with it. */
export const startAgentProcess = ({
  program: { command, args },
  folder,
  env,
}: {
  program: FoundProgram
  folder: string
  env: Readonly<Record<string, string | undefined>>
}): AgentProcess => {
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: 'pipe',
  })
  const ended = new AbortController()
  let said = ''
  let ending = 'it ended'
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-KEPT_CHARS)
  })
  // Writing to a process that has ended fails; its end is reported anyway.
  child.stdin.on('error', () => undefined)
  child.once('error', (error) => {
    ending = error.message
    ended.abort()
  })
  // What it started may keep its streams open after it has ended.
  child.once('exit', () => endGroup(child.pid))
  child.once('close', (code, signal) => {
    ending = `its process ended with ${signal ?? code}`
    endGroup(child.pid)
    ended.abort()
  })
  const waitFor = (ms: number, startTimer: StartTimer): Promise<void> =>
    new Promise((resolve) => {
      if (ended.signal.aborted) return resolve()
      const cancel = startTimer(ms, resolve)
      ended.signal.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  const kill = async (startTimer: StartTimer): Promise<void> => {
    endGroup(child.pid)
    await waitFor(GRACE_MS, startTimer)
  }
  return {
    pid: child.pid ?? 0,
    input: Writable.toWeb(child.stdin),
    output: readableOf(child.stdout),
    ended: ended.signal,
    reason: () => {
      const lines = said.trim().split('\n').slice(-3).join(' ').trim()
      return lines === '' ? ending : `${ending}: ${lines}`
    },
    settled: (startTimer) => waitFor(SETTLE_MS, startTimer),
    end: async (startTimer) => {
      child.stdin.destroy()
      await waitFor(GRACE_MS, startTimer)
      await kill(startTimer)
    },
    kill,
  }
}

/** Read on demand, so that a fast process waits for a slow reader. */
const readableOf = (source: Readable): ReadableStream<Uint8Array> => {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
