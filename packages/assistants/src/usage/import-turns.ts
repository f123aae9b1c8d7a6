/** Threads that import together take turns. */
export interface ImportTurns {
  /** The record to import next; each number is given once. */
  next: () => number
  /** Runs while no other thread writes: the database would let it wait longer than needed. */
  exclusively: (work: () => void) => void
}

export const createTurns = (): ImportTurns => {
  let next = 0
  return { next: () => next++, exclusively: (work) => work() }
}

const NEXT = 0
const WRITING = 1
/** A thread that ended while it was writing leaves its turn to the database. */
const MOST_WAIT_MS = 60_000

export const createShared = (): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))

export const shareTurns = (shared: Int32Array<SharedArrayBuffer>): ImportTurns => ({
  next: () => Atomics.add(shared, NEXT, 1),
  exclusively: (work) => {
    while (Atomics.compareExchange(shared, WRITING, 0, 1) !== 0) {
      if (Atomics.wait(shared, WRITING, 1, MOST_WAIT_MS) === 'timed-out') break
    }
    try {
      work()
    } finally {
      Atomics.store(shared, WRITING, 0)
      Atomics.notify(shared, WRITING, 1)
    }
  },
})
