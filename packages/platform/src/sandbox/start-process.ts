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
  /** The name that the process list shows instead of the command. */
  name?: string
}

export interface StartProcessOptions {
  env: Readonly<Record<string, string>>
  cwd: string
  /** Opens `STATUS_FD`, on which a sandbox reports its first process and exit code. */
  withStatus?: boolean
  /** Written to `FILTER_FD`, for a sandbox with a system call filter. */
  filter?: Uint8Array
  /** Records each process that must be killed if this one crashes, and its exit. */
  record?: { add(pid: number): void; remove(pid: number): void }
}

export interface StartedProcess {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** The data written to `STATUS_FD` so far. */
  readStatus(): string
  /** The exit code, once all its processes have exited; rejects if it could not start. */
  exited: Promise<number>
  /** Kills it and everything it started. */
  end(): void
}

export const STATUS_FD = 3
export const FILTER_FD = 4
const STATUS_BYTES = 16 * 1024

/**
 * Starts a process in its own group. After it exits, the group and the sandbox are killed, so that
 * no process it started remains.
 */
export const startProcess = (
  { command, args, name }: Launch,
  { env, cwd, withStatus = false, filter, record }: StartProcessOptions,
): StartedProcess => {
  const pipes = [withStatus, withStatus && filter !== undefined].filter(Boolean).map(() => PIPE)
  const child = spawn(command, args, {
    env: { ...env },
    cwd,
    ...(name === undefined ? {} : { argv0: name }),
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
    // The pid may belong to another process once this one has exited.
    if (!isOver) killAll(child, first)
  }
  const exited = waitForEnd(child, first).finally(() => {
    isOver = true
    for (const each of [pid, first?.pid()]) if (each !== undefined) record?.remove(each)
  })
  return { stdin, stdout, stderr, readStatus: status.text, exited, end }
}

const PIPE = 'pipe' as const

/** Ignores write errors after the process has exited, because `exited` reports the exit. */
const ignoreBreak = <Stream extends Writable>(stream: Stream): Stream =>
  stream.on('error', () => undefined)

const waitForEnd = (child: ChildProcess, first: FirstProcess | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
      waitForNamespace(first).then(() => resolve(ended), reject)
    })
    // Remaining processes of its group must not survive or keep the pipes open.
    child.once('exit', () => killAll(child, first))
  })

const POLL_MS = 2

/**
 * The first process of a pid namespace exits only after every other process in it. Its pipes close
 * earlier, so only the process itself can be waited for.
 */
const waitForNamespace = async (first: FirstProcess | undefined): Promise<void> => {
  while (first?.isAlive()) await setTimeout(POLL_MS)
}

const killAll = ({ pid }: ChildProcess, first: FirstProcess | undefined): void => {
  first?.end()
  endGroup(pid)
}
