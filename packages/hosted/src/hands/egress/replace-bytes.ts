import { Transform } from 'node:stream'

export interface Replacement {
  find: Uint8Array
  put: Uint8Array
}

/**
 * Replaces byte sequences in a stream, even across chunk boundaries; at the same position the
 * longest match wins. Buffers only what may be the start of a match.
 */
export const createReplacer = (replacements: readonly Replacement[]): Transform => {
  let kept: Buffer = Buffer.alloc(0)
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      const { out, rest } = replaceAll(Buffer.concat([kept, chunk]), replacements, 'more-follows')
      kept = rest
      done(null, out)
    },
    flush: (done) => done(null, replaceBytes(kept, replacements)),
  })
}

export const replaceBytes = (bytes: Buffer, replacements: readonly Replacement[]): Buffer =>
  replaceAll(bytes, replacements, 'complete').out

const replaceAll = (
  bytes: Buffer,
  replacements: readonly Replacement[],
  end: 'complete' | 'more-follows',
): { out: Buffer; rest: Buffer } => {
  const out: Buffer[] = []
  let at = 0
  for (;;) {
    const open = end === 'complete' ? bytes.length : findOpen(bytes, at, replacements)
    const match = findFirst(bytes, at, replacements)
    if (match === undefined || match.index >= open) {
      out.push(bytes.subarray(at, open))
      return { out: Buffer.concat(out), rest: bytes.subarray(open) }
    }
    out.push(bytes.subarray(at, match.index), Buffer.from(match.put))
    at = match.index + match.length
  }
}

const findFirst = (bytes: Buffer, from: number, replacements: readonly Replacement[]) => {
  let first: { index: number; length: number; put: Uint8Array } | undefined
  for (const { find, put } of replacements) {
    const index = bytes.indexOf(find, from)
    if (index === -1) continue
    const isBetter =
      first === undefined ||
      index < first.index ||
      (index === first.index && find.length > first.length)
    if (isBetter) first = { index, length: find.length, put }
  }
  return first
}

/** The position where the last bytes may start a match; the end if there is none. */
const findOpen = (bytes: Buffer, from: number, replacements: readonly Replacement[]): number => {
  const longest = Math.max(0, ...replacements.map(({ find }) => find.length))
  const isBeginning = (tail: Buffer) =>
    replacements.some(
      ({ find }) => find.length > tail.length && tail.equals(find.subarray(0, tail.length)),
    )
  for (let at = Math.max(from, bytes.length - longest + 1); at < bytes.length; at++) {
    if (isBeginning(bytes.subarray(at))) return at
  }
  return bytes.length
}
