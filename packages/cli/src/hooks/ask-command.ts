import { execFile } from 'node:child_process'
import type { Io } from '../io.ts'

export interface CommandAnswer {
  ok: boolean
  stdout: string
  stderr: string
}

const LIMIT_MS = 15_000

/** What a command of an assistant answers; one that hangs is ended. */
export const askCommand = (
  io: Io,
  command: string,
  args: readonly string[],
): Promise<CommandAnswer> =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      [...args],
      { env: { ...io.env }, timeout: LIMIT_MS, killSignal: 'SIGKILL', encoding: 'utf8' },
      (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr }),
    )
    child.stdin?.end()
  })
