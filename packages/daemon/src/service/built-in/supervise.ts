import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { reasonOf, StewardError } from '@steward/contract'
import { type Home, holdLock, writeStateFile } from '@steward/platform'
import type { DaemonProgram } from '../supervisor.ts'
import { type DaemonProcess, keepRunning } from './keep-running.ts'
import { SUPERVISED, supervisorFiles } from './state.ts'

/**
 * The built-in supervisor's process. SIGTERM stops it and the daemon, SIGHUP restarts the daemon.
 */
export const supervise = async (
  home: Home,
  program: DaemonProgram,
  process: NodeJS.Process,
): Promise<void> => {
  const files = supervisorFiles(home)
  await mkdir(home.databases, { recursive: true, mode: 0o700 })
  const lock = holdLock(files.lock)
  if (lock === undefined) {
    throw new StewardError('daemon_running', { reason: 'the built-in supervisor is running' })
  }
  const log = openDaemonLog(files.log)
  const say = (line: string) => log.write(`${new Date().toISOString()} supervisor ${line}\n`)
  let writing = Promise.resolve()
  const kept = keepRunning({
    start: () => startDaemon(program, log.write),
    now: Date.now,
    setTimer: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
    say,
    supervisorPid: process.pid,
    changed: () => {
      writing = writing
        .then(() => writeStateFile(files.state, kept.state()))
        .catch((thrown: unknown) => say(`its state could not be written: ${reasonOf(thrown)}`))
    },
  })
  process.on('SIGHUP', () => void kept.restart())
  process.on('SIGTERM', () => void kept.stop())
  process.on('SIGINT', () => void kept.stop())
  await kept.over
  await writing
  log.close()
  lock.release()
}

const TAIL_CHARS = 4000

const startDaemon = (
  { argv, env }: DaemonProgram,
  write: (chunk: Uint8Array) => void,
): DaemonProcess => {
  const [command = '', ...args] = argv
  const child = spawn(command, args, {
    // The channel closes when the supervisor dies for any reason, and the daemon then exits too.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, [SUPERVISED]: '1' },
  })
  let tail = ''
  child.stdout?.on('data', write)
  child.stderr?.on('data', (chunk: Buffer) => {
    write(chunk)
    tail = `${tail}${chunk.toString()}`.slice(-TAIL_CHARS)
  })
  const failed = once(child, 'error').then(([error]) => reasonOf(error))
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    pid: child.pid ?? 0,
    ended: Promise.race([failed, exited]),
    lastError: () => [...tail.matchAll(/^error: (.+)$/gm)].at(-1)?.[1],
    signal: (name) => child.kill(name),
  }
}

const LARGEST_BYTES = 16 * 1024 * 1024

/** The daemon's output in a file with rotation; the previous file is kept as `.1`. */
const openDaemonLog = (path: string, largestBytes: number = LARGEST_BYTES) => {
  const open = () => openSync(path, 'a', 0o600)
  let file = open()
  let bytes = fstatSync(file).size
  return {
    write: (text: string | Uint8Array): void => {
      const chunk = Buffer.from(text)
      if (bytes > 0 && bytes + chunk.length > largestBytes) {
        closeSync(file)
        renameSync(path, `${path}.1`)
        file = open()
        bytes = 0
      }
      bytes += writeSync(file, chunk)
    },
    close: () => closeSync(file),
  }
}
