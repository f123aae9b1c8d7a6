import { randomBytes } from 'node:crypto'
import { quote, type StartTimer, startSystemTimer } from '@steward/platform'
import type { SandboxProcess } from '../sandbox/sandbox.ts'
import { createOutputTail } from './output-tail.ts'

interface ShellRun {
  command: string
  timeoutMs: number
  signal: AbortSignal
}

export interface ShellOutcome {
  /** The end of the output, stdout and stderr merged. */
  output: Buffer
  totalBytes: number
  ending:
    | { type: 'done'; code: number }
    | { type: 'timed-out' }
    | { type: 'flooded' }
    /** The shell itself ended, by `exit` or a signal. */
    | { type: 'gone'; code: number; problem: string }
}

export interface PersistentShell {
  /**
   * Runs one command; the caller must not overlap commands. After anything but `done`, the shell is
   * over.
   */
  run(run: ShellRun): Promise<ShellOutcome>
  end(): Promise<void>
  readonly isOver: boolean
}

/** How much of one command's output is kept for the file of a long output. */
export const KEPT_BYTES = 8 * 1024 ** 2
/** More output from one command would cost the server too much to read. */
export const FLOOD_BYTES = 64 * 1024 ** 2
/** The descriptor of the end marker, which a command is unlikely to close or redirect. */
const MARKER_FD = 200

/** The shell of a session: folder, variables and functions persist between commands. */
export const startShell = (
  start: () => SandboxProcess,
  startTimer: StartTimer = startSystemTimer,
): PersistentShell => {
  const shell = start()
  const isOver = { value: false }
  void shell.exited.then(() => {
    isOver.value = true
  })
  shell.stdin.write(`exec ${MARKER_FD}>&1\n`)
  // Unread output stays in the pipe between commands, so that it cannot fill the server's memory.
  shell.output.pause()

  const end = async () => {
    isOver.value = true
    shell.output.resume()
    await shell.kill()
  }

  const run = async ({ command, timeoutMs, signal }: ShellRun): Promise<ShellOutcome> => {
    signal.throwIfAborted()
    const marker = `steward-${randomBytes(16).toString('hex')}:`
    const tail = createOutputTail(KEPT_BYTES)
    let finish: (ending: ShellOutcome['ending']) => void = () => undefined
    const finished = new Promise<ShellOutcome['ending']>((resolve) => {
      finish = resolve
    })
    let unsure = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      const seen = unsure.length === 0 ? chunk : Buffer.concat([unsure, chunk])
      const at = seen.indexOf(marker)
      if (at >= 0) {
        const code = /^(\d{1,3})\n/.exec(seen.subarray(at + marker.length).toString('latin1'))
        if (code !== null) {
          tail.add(seen.subarray(0, at))
          unsure = Buffer.alloc(0)
          return finish({ type: 'done', code: Number(code[1]) })
        }
      }
      // A possible beginning of a marker is buffered until the rest arrives.
      const held = at >= 0 ? seen.length - at : Math.min(seen.length, marker.length - 1)
      tail.add(seen.subarray(0, seen.length - held))
      unsure = Buffer.from(seen.subarray(seen.length - held))
      if (tail.totalBytes > FLOOD_BYTES) finish({ type: 'flooded' })
    }
    const onAbort = () => finish({ type: 'timed-out' })
    const onClose = () =>
      void shell.exited.then((code) => finish({ type: 'gone', code, problem: shell.readProblem() }))
    const cancelTimer = startTimer(timeoutMs, () => finish({ type: 'timed-out' }))
    signal.addEventListener('abort', onAbort, { once: true })
    shell.output.on('data', onData).once('close', onClose)
    if (shell.output.closed) onClose()
    shell.output.resume()
    shell.stdin.write(describeCommand(command, marker))

    const ending = await finished
    shell.output.pause()
    cancelTimer()
    signal.removeEventListener('abort', onAbort)
    if (ending.type !== 'done') await end()
    shell.output.off('data', onData).off('close', onClose)
    tail.add(unsure)
    signal.throwIfAborted()
    return { output: tail.takeLast(KEPT_BYTES), totalBytes: tail.totalBytes, ending }
  }

  return {
    run,
    end,
    get isOver() {
      return isOver.value
    },
  }
}

/**
 * One compound command, which the shell reads completely before it starts: whatever the command
 * does to its input, the marker follows. The command has no input and cannot see the marker's
 * descriptor.
 */
const describeCommand = (command: string, marker: string): string =>
  `{ eval ${quote(command)} </dev/null ${MARKER_FD}>&-; builtin printf '%s%d\\n' ${marker} "$?" >&${MARKER_FD}; }\n`
