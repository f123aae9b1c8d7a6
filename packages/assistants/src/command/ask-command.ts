import { execFile } from 'node:child_process'
import type { HostPlace } from '../assistant.ts'

export interface CommandAnswer {
  ok: boolean
  stdout: string
  stderr: string
}

const LIMIT_MS = 15_000

/** The output of an assistant's command, which is killed when it hangs. */
export const askCommand = (
  { env }: Pick<HostPlace, 'env'>,
  command: string,
  args: readonly string[],
): Promise<CommandAnswer> =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      [...args],
      { env: { ...env }, timeout: LIMIT_MS, killSignal: 'SIGKILL', encoding: 'utf8' },
      (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr }),
    )
    child.stdin?.end()
  })
