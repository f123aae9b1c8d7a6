import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

/** A real `steward watchdog` as a child process. */
export interface WatchdogProcess {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Resolves when the text is on standard output or standard error. */
  said: (text: string | RegExp) => Promise<void>
  /** The exit code, once all its open descriptors are closed. */
  ended: Promise<number | null>
}

export interface WatchdogHome {
  home: string
  /** Appends rows to a log, each `secondsAgo`. */
  append: (log: string, ...rows: Array<{ secondsAgo: number; [field: string]: unknown }>) => void
  start: (args?: readonly string[], command?: string) => WatchdogProcess
  remove: () => void
}

export const createWatchdogHome = (): WatchdogHome => {
  const root = mkdtempSync(join(tmpdir(), 'steward-watchdog-'))
  const home = join(root, 'home')
  const running: ChildProcess[] = []
  return {
    home,
    append: (log, ...rows) => {
      const folder = join(home, 'MEMORY/OBSERVABILITY')
      mkdirSync(folder, { recursive: true })
      const lines = rows.map(({ secondsAgo, ...row }) => {
        const timestamp = new Date(Date.now() - secondsAgo * 1000).toISOString()
        return `${JSON.stringify({ timestamp, session_id: 's', ...row })}\n`
      })
      appendFileSync(join(folder, `${log}.jsonl`), lines.join(''))
    },
    start: (args = [], command) => {
      const words = [process.execPath, PACKED_LAUNCHER, 'watchdog', ...args]
      const [program = '', ...rest] =
        command === undefined ? words : ['sh', '-c', command, 'sh', ...words]
      const child = spawn(program, rest, {
        env: {
          PATH: process.env.PATH,
          HOME: root,
          XDG_CACHE_HOME: CACHE_HOME,
          STEWARD_HOME: home,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      running.push(child)
      return follow(child)
    },
    remove: () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const follow = (child: ChildProcess): WatchdogProcess => {
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  const look = () => {
    for (const each of waiting) each()
  }
  child.stdout?.on('data', (chunk: Uint8Array) => {
    stdout += Buffer.from(chunk).toString()
    look()
  })
  child.stderr?.on('data', (chunk: Uint8Array) => {
    stderr += Buffer.from(chunk).toString()
    look()
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    said: (wanted) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const text = stdout + stderr
          if (typeof wanted === 'string' ? !text.includes(wanted) : !wanted.test(text)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
        void ended.then((code) => {
          reject(new Error(`it ended with ${code} before it said ${wanted}: ${stdout}${stderr}`))
        })
      }),
  }
}
