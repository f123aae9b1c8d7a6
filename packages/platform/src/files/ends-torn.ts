import { fstatSync, readSync } from 'node:fs'

const LINE_BREAK = 0x0a

/**
 * Whether the log permanently ends in the middle of a line. A running write looks the same: a row
 * that crosses a page becomes visible in parts, and its writer may be preempted in between.
 * Treating it as torn only costs an empty line, which readers ignore.
 */
export const endsTorn = (file: number): boolean => {
  for (let look = 0; look < LOOKS; look++) {
    const { size } = fstatSync(file)
    if (size === 0 || endsInBreak(file, size)) return false
    Atomics.wait(NOBODY, 0, 0, LOOK_AGAIN_MS)
  }
  return true
}

const LOOKS = 10
const LOOK_AGAIN_MS = 5
/** Never notified: waiting on it lets a synchronous function sleep. */
const NOBODY = new Int32Array(new SharedArrayBuffer(4))

const endsInBreak = (file: number, size: number): boolean => {
  const last = Buffer.alloc(1)
  return readSync(file, last, 0, 1, size - 1) !== 1 || last[0] === LINE_BREAK
}
