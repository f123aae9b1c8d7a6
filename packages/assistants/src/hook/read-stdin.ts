import { readSync } from 'node:fs'
import { codeOf } from '@steward/platform'

const CHUNK_BYTES = 64 * 1024
const MOST_BYTES = 64 * 1024 * 1024
/** How long to retry a non-blocking pipe that has no data yet. */
const LONGEST_WAIT_MS = 10_000
const PAUSE_MS = 2

/**
 * Reads standard input without Node's streams, whose loading takes a tenth of the hook's time. The
 * host closes the pipe after writing, or by exiting.
 */
export const readStdin = (stdin = 0): string => {
  const chunks: Buffer[] = []
  let bytes = 0
  let waitedMs = 0
  while (bytes < MOST_BYTES && waitedMs < LONGEST_WAIT_MS) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const read = readSome(stdin, chunk)
    if (read === 0) break
    if (read === undefined) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
      waitedMs += PAUSE_MS
      continue
    }
    chunks.push(chunk.subarray(0, read))
    bytes += read
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The number of bytes read; 0 at the end, undefined if there are none yet. */
const readSome = (stdin: number, chunk: Buffer): number | undefined => {
  try {
    return readSync(stdin, chunk)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'EAGAIN') return undefined
    // Windows reports the end of a pipe this way; elsewhere it means that there is no standard
    // input.
    if (code === 'EOF' || code === 'EBADF' || code === 'EISDIR') return 0
    throw thrown
  }
}
