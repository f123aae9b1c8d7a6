import { writeSync } from 'node:fs'
import type { HostAnswer } from '@steward/contract'
import { codeOf } from '@steward/platform'

const PAUSE_MS = 2
const LONGEST_WAIT_MS = 1000

/** Writes an answer synchronously without Node's streams, which are slow to load. */
export const writeAnswer = ({ stdout, stderr }: HostAnswer): void => {
  writeAll(1, stdout)
  writeAll(2, stderr)
}

const writeAll = (to: number, text: string): void => {
  let rest = Buffer.from(text)
  for (let waitedMs = 0; rest.length > 0 && waitedMs < LONGEST_WAIT_MS; ) {
    const written = writeSome(to, rest)
    rest = rest.subarray(written)
    if (written > 0) continue
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    waitedMs += PAUSE_MS
  }
}

const writeSome = (to: number, bytes: Buffer): number => {
  try {
    return writeSync(to, bytes)
  } catch (thrown) {
    // The pipe is temporarily full; a closed pipe is an error.
    if (codeOf(thrown) === 'EAGAIN') return 0
    throw thrown
  }
}
