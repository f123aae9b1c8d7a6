import { startSystemTimer } from '@steward/platform'
import type { Advance, RunHistory } from '../history/history.ts'

type Change = Omit<Advance, 'runId'>

export interface RunJournal {
  /** Writes a change after those before it, and does not wait for the disk. */
  advance: (change: Change) => void
  /** Another write that `settled` waits for. */
  alsoAwait: (write: Promise<unknown>) => void
  /** Resolves when everything so far is on disk. */
  settled: () => Promise<unknown>
}

/** The start of a run in the history. */
export interface RunStart {
  /** Settles when it is on disk. */
  stored: Promise<unknown>
  /** Writes it now, if it was held. */
  write: () => void
}

/**
 * How long the end of a step waits for those of the next ones, to share a commit with them. Many quick
 * runs at a time take longer each, and should still need one commit each.
 */
const HOLD_MS = 25

/** The start waits for the first steps, to share a commit with them, but no longer than the end of a step. */
export const holdStart = (begin: () => Promise<unknown>): RunStart => {
  const { promise: stored, resolve } = Promise.withResolvers<unknown>()
  let isHeld = true
  const write = (): void => {
    if (!isHeld) return
    isHeld = false
    cancel()
    resolve(begin())
  }
  const cancel = startSystemTimer(HOLD_MS, write)
  return { stored, write }
}

/** The changes of one run, written in order. */
export const createRunJournal = (
  runId: string,
  history: Pick<RunHistory, 'advance'>,
  { stored, write: writeStart }: RunStart,
): RunJournal => {
  let onDisk = stored
  let held: Change[] = []
  let cancelHold: (() => void) | undefined
  const writeHeld = (): void => {
    cancelHold?.()
    cancelHold = undefined
    writeStart()
    if (held.length === 0) return
    const written = Promise.all([
      onDisk,
      ...held.map((change) => history.advance({ runId, ...change })),
    ])
    held = []
    // Awaited before any external effect; until then a failure must not count as unhandled.
    written.catch(() => undefined)
    onDisk = written
  }
  return {
    advance: (change) => {
      const last = held.at(-1)
      const joins = change.done === undefined && last !== undefined && last.next === undefined
      if (joins) {
        if (change.next !== undefined) last.next = change.next
        if (change.finished !== undefined) last.finished = change.finished
      } else held.push(change)
      if (change.finished === undefined) cancelHold ??= startSystemTimer(HOLD_MS, writeHeld)
      else writeHeld()
    },
    alsoAwait: (write) => {
      onDisk = Promise.all([onDisk, write])
    },
    settled: () => {
      writeHeld()
      return onDisk
    },
  }
}
