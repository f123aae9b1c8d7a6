/** Threads that import together take turns. */
export interface ImportTurns {
  /** The record to read next; each number is given once. */
  next: () => number
}

export const createTurns = (): ImportTurns => {
  let next = 0
  return { next: () => next++ }
}

const NEXT = 0
const WAITING = 1
/** More parts than this wait in no memory. */
const MOST_WAITING = 4
/** A wait starts again after this long, in case that a notice was missed. */
const WAIT_MS = 1000

export type SharedTurns = Int32Array<SharedArrayBuffer>

export const createShared = (): SharedTurns =>
  new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))

export const shareTurns = (shared: SharedTurns): ImportTurns => ({
  next: () => Atomics.add(shared, NEXT, 1),
})

/** Returns when little enough waits to be stored; blocks a thread, which has nothing else to do. */
export const announcePart = (shared: SharedTurns): void => {
  for (;;) {
    const waiting = Atomics.load(shared, WAITING)
    if (waiting < MOST_WAITING) break
    Atomics.wait(shared, WAITING, waiting, WAIT_MS)
  }
  Atomics.add(shared, WAITING, 1)
}

export const takePart = (shared: SharedTurns): void => {
  Atomics.sub(shared, WAITING, 1)
  Atomics.notify(shared, WAITING)
}
