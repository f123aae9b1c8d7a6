import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Duplex, type Readable, type Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { endGroup } from '../processes/end-process.ts'
import { type FirstProcess, watchFirstProcess } from './first-process.ts'
import { createOutputBuffer } from './output-buffer.ts'

/** A program and its arguments, as this process starts it. */
export interface Launch {
  command: string
  args: readonly string[]
}

export interface StartProcessOptions {
  env: Readonly<Record<string, string>>
  cwd: string
  /** Opens `STATUS_FD`, on which a sandbox tells its first process and how it ended. */
  withStatus?: boolean
  /** Written to `FILTER_FD`, for a sandbox with a filter of system calls. */
  filter?: Uint8Array
  /** Told of each process that has to be ended should this one crash, and of its end. */
  record?: { add(pid: number): void; remove(pid: number): void }
}

export interface StartedProcess {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** What was written to `STATUS_FD` so far. */
  readStatus(): string
  /** Its exit code, once nothing of it is left; rejects if it could not start. */
  exited: Promise<number>
  /** Ends it and everything it started. */
  end(): void
}

export const STATUS_FD = 3
export const FILTER_FD = 4
const STATUS_BYTES = 16 * 1024

/**
 * Starts a process in a group of its own. After its end the group and the sandbox are killed, so that
 * nothing it started lives on.
 */
export const startProcess = (
  { command, args }: Launch,
  { env, cwd, withStatus = false, filter, record }: StartProcessOptions,
): StartedProcess => {
  const pipes = [withStatus, withStatus && filter !== undefined].filter(Boolean).map(() => PIPE)
  const child = spawn(command, args, {
    env: { ...env },
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...pipes],
  })
  const { pid, stdin, stdout, stderr } = child
  if (pid !== undefined) record?.add(pid)
  ignoreBreak(stdin)
  const filterPipe = child.stdio[FILTER_FD]
  if (filterPipe instanceof Duplex) ignoreBreak(filterPipe).resume().end(filter)
  const statusPipe = child.stdio[STATUS_FD]
  const status = createOutputBuffer(STATUS_BYTES)
  let first: FirstProcess | undefined
  if (statusPipe instanceof Duplex) {
    first = watchFirstProcess(ignoreBreak(statusPipe).on('data', status.add), record?.add)
  }

  let isOver = false
  const end = (): void => {
    // A number is another process's as soon as this one is gone.
    if (!isOver) killAll(child, first)
  }
  const exited = waitForEnd(child, first).finally(() => {
    isOver = true
    for (const each of [pid, first?.pid()]) if (each !== undefined) record?.remove(each)
  })
  return { stdin, stdout, stderr, readStatus: status.text, exited, end }
}

const PIPE = 'pipe' as const

/** A process that ended cannot read; `exited` tells that it ended. */
const ignoreBreak = <Stream extends Writable>(stream: Stream): Stream =>
  stream.on('error', () => undefined)

const waitForEnd = (child: ChildProcess, first: FirstProcess | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
      waitForNamespace(first).then(() => resolve(ended), reject)
    })
    // What it left in its group must not live on, nor keep the pipes open.
    child.once('exit', () => killAll(child, first))
  })

const POLL_MS = 2

/**
 * The first process of a process namespace is over only when every other in it is. Its pipes close
 * before that, so that there is nothing to wait on but itself.
 */
const waitForNamespace = async (first: FirstProcess | undefined): Promise<void> => {
  while (first?.isAlive()) await setTimeout(POLL_MS)
}

const killAll = ({ pid }: ChildProcess, first: FirstProcess | undefined): void => {
  first?.end()
  endGroup(pid)
}
