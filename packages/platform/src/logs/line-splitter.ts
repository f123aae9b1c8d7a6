export interface SplitLine {
  /** Without its line break; undefined if above the limit. Valid until the next chunk is pushed. */
  bytes: Buffer | undefined
  /** Offset in the file after the line break. */
  end: number
}

/** Splits chunks of a file into lines; holds at most one line's limit in memory. */
export interface LineSplitter {
  push: (chunk: Buffer) => SplitLine[]
  /** The number of bytes of an unfinished line. */
  pendingBytes: () => number
}

const LINE_BREAK = 0x0a

export interface LineSplitterOptions {
  maxLineBytes: number
  /** The offset of the first chunk. */
  offset: number
  /** Whether that is inside a line, whose rest counts as too long. */
  insideLine?: boolean
}

export const createLineSplitter = ({
  maxLineBytes,
  offset,
  insideLine = false,
}: LineSplitterOptions): LineSplitter => {
  let position = offset
  let held: Buffer[] = []
  let heldBytes = 0
  let pendingBytes = 0
  let tooLong = insideLine

  const hold = (part: Buffer): void => {
    pendingBytes += part.length
    if (tooLong || pendingBytes > maxLineBytes) {
      tooLong = true
      held = []
      heldBytes = 0
      return
    }
    if (part.length === 0) return
    held.push(Buffer.from(part))
    heldBytes += part.length
  }

  const finish = (part: Buffer): Buffer | undefined => {
    const whole = tooLong || heldBytes + part.length > maxLineBytes ? undefined : part
    const bytes = whole === undefined || heldBytes === 0 ? whole : Buffer.concat([...held, part])
    held = []
    heldBytes = 0
    pendingBytes = 0
    tooLong = false
    return bytes
  }

  return {
    push: (chunk) => {
      const lines: SplitLine[] = []
      let from = 0
      for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, from)) {
        lines.push({ bytes: finish(chunk.subarray(from, at)), end: position + at + 1 })
        from = at + 1
      }
      hold(chunk.subarray(from))
      position += chunk.length
      return lines
    },
    pendingBytes: () => pendingBytes,
  }
}
