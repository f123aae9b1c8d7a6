import { homedir } from 'node:os'
import type { Readable } from 'node:stream'
import { kindOfStdin, type StdinKind } from './input/stdin-kind.ts'
import { maskSecrets } from './output/mask-secrets.ts'
import { type Paint, paintFor, wantsColour } from './output/paint.ts'

/** An output for text, which may be a terminal or a pipe. */
export interface Sink {
  write: (text: string) => void
  isTerminal: boolean
  columns: number
  paint: Paint
}

/** Everything that a command uses from its environment. */
export interface Io {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  cwd: string
  stdin: Readable
  stdinKind: () => StdinKind
  out: Sink
  err: Sink
  /** Aborted by ^C or SIGTERM. */
  signal: AbortSignal
  now: () => number
  /** Whether the process ends with the command, so that it may be killed if it hangs. */
  ownsProcess: boolean
  /** The exit code of the process. */
  exitCode: number
}

export const createIo = (process: NodeJS.Process, signal: AbortSignal): Io => ({
  args: process.argv.slice(2),
  env: process.env,
  homedir: homedir(),
  cwd: process.cwd(),
  get stdin() {
    return process.stdin
  },
  stdinKind: kindOfStdin,
  out: sinkOf(process.stdout, process.env),
  err: withoutSecrets(sinkOf(process.stderr, process.env), process.env),
  signal,
  now: Date.now,
  ownsProcess: true,
  exitCode: 0,
})

const withoutSecrets = (sink: Sink, env: Io['env']): Sink => ({
  ...sink,
  write: maskSecrets(sink.write, env),
})

const DEFAULT_COLUMNS = 100

const sinkOf = (stream: NodeJS.WriteStream, env: Io['env']): Sink => {
  const isTerminal = stream.isTTY === true
  return {
    write: (text) => {
      stream.write(text)
    },
    isTerminal,
    // 0 if a terminal does not know its width.
    columns: stream.columns || DEFAULT_COLUMNS,
    paint: paintFor(wantsColour(isTerminal, env)),
  }
}
