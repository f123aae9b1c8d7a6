import type { FileHandle } from 'node:fs/promises'

export interface BackwardLine {
  /**
   * `end`: comes first and once; `bytes` is the text after the last line break (a torn line), `end`
   * the offset after that break. `line`: a whole line without its break.
   */
  kind: 'end' | 'line'
  /** Undefined if above the limit. */
  bytes: Buffer | undefined
  end: number
}

export interface BackwardOptions {
  sizeBytes: number
  maxLineBytes: number
  /** Reads about this much at most. */
  budgetBytes: number
}

const BLOCK_BYTES = 64 * 1024
const LINE_BREAK = 0x0a

/**
 * The lines of a file from last to first, read in blocks from its end; holds at most one line and
 * one block.
 */
export async function* readLinesBackwards(
  handle: FileHandle,
  { sizeBytes, maxLineBytes, budgetBytes }: BackwardOptions,
): AsyncGenerator<BackwardLine, void, undefined> {
  const line = collectBackwards(maxLineBytes)
  let kind: BackwardLine['kind'] = 'end'
  let end = sizeBytes
  let from = sizeBytes
  while (from > 0 && sizeBytes - from < budgetBytes) {
    const wanted = Math.min(BLOCK_BYTES, from)
    from -= wanted
    const block = await readExactly(handle, wanted, from)
    if (block === undefined) return
    let right = block.length
    for (let at = lastBreak(block, right); at !== -1; at = lastBreak(block, right)) {
      line.add(block.subarray(at + 1, right))
      const offset = from + at + 1
      yield { kind, bytes: line.take(), end: kind === 'end' ? offset : end }
      kind = 'line'
      end = offset
      right = at
    }
    line.add(block.subarray(0, right))
  }
  if (from > 0) {
    // Stopped inside a line, so its visible part does not count.
    if (kind === 'end') yield { kind, bytes: undefined, end: sizeBytes }
    return
  }
  yield { kind, bytes: line.take(), end: kind === 'end' ? 0 : end }
}

const lastBreak = (block: Buffer, right: number): number =>
  right === 0 ? -1 : block.lastIndexOf(LINE_BREAK, right - 1)

/** Undefined if the file became shorter meanwhile. */
const readExactly = async (
  handle: FileHandle,
  length: number,
  position: number,
): Promise<Buffer | undefined> => {
  const block = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(block, done, length - done, position + done)
    if (bytesRead === 0) return undefined
    done += bytesRead
  }
  return block
}

const collectBackwards = (maxLineBytes: number) => {
  let pieces: Buffer[] = []
  let bytes = 0
  return {
    add: (piece: Buffer): void => {
      bytes += piece.length
      if (bytes > maxLineBytes) pieces = []
      else pieces.unshift(piece)
    },
    take: (): Buffer | undefined => {
      const whole = bytes > maxLineBytes ? undefined : Buffer.concat(pieces)
      pieces = []
      bytes = 0
      return whole
    },
  }
}
