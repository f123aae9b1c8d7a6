import type { Readable } from 'node:stream'
import { endProcess } from '../processes/end-process.ts'
import { isAlive, readStartTime } from '../processes/start-time.ts'

/**
 * The first process of a sandbox, as reported by bubblewrap before it runs. Bubblewrap binds that
 * process to its own life only after it has started the command: if bubblewrap is killed in
 * between, everything inside would run indefinitely.
 */
export interface FirstProcess {
  /** Undefined until it is reported. */
  pid: () => number | undefined
  isAlive: () => boolean
  /** Kills it and everything in the sandbox, as soon as its pid is known. */
  end: () => void
}

/** Includes the next character, because the number may arrive in two parts. */
const TOLD = /"child-pid"\s*:\s*(\d+)\D/
const LONGEST_TEXT = 16 * 1024

export const watchFirstProcess = (
  told: Readable,
  onTold: (pid: number) => void = () => undefined,
): FirstProcess => {
  let text = ''
  let first: { pid: number; startTime: string | undefined } | undefined
  let isEnded = false

  // The pid may be reused once the process has exited.
  const find = (): number | undefined =>
    first?.startTime !== undefined && readStartTime(first.pid) === first.startTime
      ? first.pid
      : undefined
  const kill = (): void => endProcess(find())
  told.on('data', (chunk: Buffer | string) => {
    if (first !== undefined || text.length > LONGEST_TEXT) return
    text += chunk.toString()
    const pid = Number(TOLD.exec(text)?.[1])
    if (!(pid > 1)) return
    first = { pid, startTime: readStartTime(pid) }
    onTold(pid)
    if (isEnded) kill()
  })

  return {
    pid: () => first?.pid,
    isAlive: () => {
      const pid = find()
      return pid !== undefined && isAlive(pid)
    },
    end: () => {
      isEnded = true
      kill()
    },
  }
}
