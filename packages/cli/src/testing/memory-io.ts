import { Readable } from 'node:stream'
import type { Io, Sink } from '../io.ts'
import { paintFor } from '../output/paint.ts'

export interface MemorySink extends Sink {
  text: () => string
}

/** An output that records everything. */
export const memorySink = (isTerminal = false): MemorySink => {
  const parts: string[] = []
  return {
    write: (text) => {
      parts.push(text)
    },
    isTerminal,
    columns: 80,
    paint: paintFor(false),
    text: () => parts.join(''),
  }
}

/** Standard input with the given text, or one that stays silent. */
export const stdinOf = (text: string | undefined): Readable =>
  text === undefined ? new Readable({ read: () => undefined }) : Readable.from([Buffer.from(text)])

export const memoryIo = (given: Partial<Io> = {}): Io & { out: MemorySink; err: MemorySink } => ({
  args: [],
  env: {},
  homedir: '/nowhere',
  cwd: process.cwd(),
  stdin: stdinOf(''),
  stdinKind: () => 'nothing',
  signal: new AbortController().signal,
  now: () => 0,
  ownsProcess: false,
  exitCode: 0,
  ...given,
  out: memorySink(),
  err: memorySink(),
})
