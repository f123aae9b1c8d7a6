import type { Readable } from 'node:stream'
import type { Io } from '../io.ts'
import { collectText } from './collect-text.ts'
import type { StdinKind } from './stdin-kind.ts'

/**
 * `wait`: explicitly requested. `other`: there is also other input. `only`: there is no other
 * input.
 */
export type StdinNeed = 'wait' | 'other' | 'only'

/**
 * How long to wait for the first byte. A shell's pipe is worth waiting for; a socket is often left
 * open by a program that sends nothing.
 */
export const firstByteLimitMs = (kind: StdinKind, need: StdinNeed): number => {
  if (need === 'wait' || kind === 'file') return Number.POSITIVE_INFINITY
  if (kind === 'socket') return 500
  return need === 'other' ? 30_000 : Number.POSITIVE_INFINITY
}

const SAY_WAITING_AFTER_MS = 2000

/** Standard input as text; undefined if there is none or it stays silent too long. */
export const readStdin = async (
  io: Pick<Io, 'stdin' | 'stdinKind' | 'err'>,
  need: StdinNeed,
): Promise<string | undefined> => {
  const kind = io.stdinKind()
  if (kind === 'nothing' && need !== 'wait') return undefined
  const { stdin, err } = io
  const limitMs = firstByteLimitMs(kind, need)
  const waiting = setTimeout(() => {
    err.write('waiting for standard input to end (^D ends it; </dev/null skips it)\n')
  }, SAY_WAITING_AFTER_MS)
  try {
    if ((await firstByte(stdin, limitMs)) === 'silent') {
      if (need === 'other') {
        err.write(
          'note: no data on standard input; continuing without it (--input - waits for it)\n',
        )
      }
      stdin.destroy()
      return undefined
    }
    clearTimeout(waiting)
    const text = await collectText(stdin, 'standard input')
    return text.trim() === '' ? undefined : text
  } finally {
    clearTimeout(waiting)
  }
}

const firstByte = (stdin: Readable, limitMs: number): Promise<'there' | 'silent'> =>
  new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      stdin.off('readable', there)
      stdin.off('error', broken)
      end()
    }
    // Also emitted at the end of an empty input.
    const there = () => settle(() => resolve('there'))
    const broken = (error: Error) => settle(() => reject(error))
    const timer = Number.isFinite(limitMs)
      ? setTimeout(() => settle(() => resolve('silent')), limitMs)
      : undefined
    stdin.once('readable', there)
    stdin.once('error', broken)
  })
