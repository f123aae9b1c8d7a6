import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Duplex, type Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { endGroup, type FirstProcess, watchFirstProcess } from '@steward/platform'
import type { Launch } from './launch.ts'
import type { Running } from './running.ts'
import type { SandboxProcess } from './sandbox.ts'

export interface StartProcessOptions {
  running: Running
  env: Readonly<Record<string, string>>
  cwd?: string
  /** Opens descriptor 3 for the filter, and 4, on which bubblewrap reports its first process. */
  withNamespaces?: boolean
  seccomp?: Uint8Array
}

export const SECCOMP_FD = 3
export const INFO_FD = 4
const PROBLEM_CHARACTERS = 4000
const COULD_NOT_START = 127

/** Starts a process in its own group. `exited` waits until everything it started is gone. */
export const startProcess = (launch: Launch, options: StartProcessOptions): SandboxProcess => {
  const child = spawn(launch.command, launch.args, {
    env: { ...options.env },
    cwd: options.cwd ?? '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(options.withNamespaces ? PIPES : [])],
  })
  const { stdin, stdout, stderr } = child
  const { pid } = child
  if (pid !== undefined) options.running.add(pid)

  let problem = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(0, PROBLEM_CHARACTERS)
  })
  const filter = child.stdio[SECCOMP_FD]
  if (filter instanceof Duplex) ignoreBreak(filter).resume().end(options.seccomp)
  ignoreBreak(stdin)
  const info = child.stdio[INFO_FD]
  const first =
    info instanceof Duplex ? watchFirstProcess(ignoreBreak(info), options.running.add) : undefined

  let isOver = false
  const exited = waitForEnd(child, first).then(
    (code) => code,
    (thrown: unknown) => {
      problem ||= thrown instanceof Error ? thrown.message : String(thrown)
      return COULD_NOT_START
    },
  )
  const forgotten = exited.then(() => {
    isOver = true
    for (const each of [pid, first?.pid()]) if (each !== undefined) options.running.remove(each)
  })

  return {
    stdin,
    output: stdout,
    readProblem: () => problem.trim(),
    exited,
    kill: async () => {
      // The pid may belong to another process after the exit.
      if (!isOver) killAll(child, first)
      await forgotten
    },
  }
}

const PIPES = ['pipe', 'pipe'] as const

/** A process that ended cannot read; `exited` reports its end. */
const ignoreBreak = <Stream extends Writable>(stream: Stream): Stream =>
  stream.on('error', () => undefined)

const waitForEnd = (child: ChildProcess, first: FirstProcess | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
      waitForNamespace(first).then(() => resolve(ended), reject)
    })
    // Leftovers in its group must not survive or keep the pipes open.
    child.once('exit', () => killAll(child, first))
  })

const POLL_MS = 2

/**
 * The first process of a process namespace ends only after all others in it. Its pipes close before
 * that, so only its own exit can be awaited.
 */
const waitForNamespace = async (first: FirstProcess | undefined): Promise<void> => {
  while (first?.isAlive()) await setTimeout(POLL_MS)
}

const killAll = ({ pid }: ChildProcess, first: FirstProcess | undefined): void => {
  first?.end()
  endGroup(pid)
}
