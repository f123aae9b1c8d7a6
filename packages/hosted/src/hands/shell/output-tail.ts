/** Keeps the last bytes of a stream of any length. */
export interface OutputTail {
  add(chunk: Buffer): void
  /** The total length. */
  readonly totalBytes: number
  /** The last bytes, up to this many. */
  takeLast(maxBytes: number): Buffer
}

export const createOutputTail = (keptBytes: number): OutputTail => {
  const chunks: Buffer[] = []
  let kept = 0
  let total = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      kept += chunk.length
      total += chunk.length
      let first = chunks[0]
      while (first !== undefined && kept - first.length >= keptBytes) {
        chunks.shift()
        kept -= first.length
        first = chunks[0]
      }
    },
    get totalBytes() {
      return total
    },
    takeLast: (maxBytes) => {
      const all = Buffer.concat(chunks)
      return all.subarray(Math.max(0, all.length - Math.min(maxBytes, keptBytes)))
    },
  }
}

/** Decodes text that begins and ends with a whole character. */
export const decodeTail = (bytes: Uint8Array, isCut: boolean): string => {
  let from = 0
  // Up to three leading continuation bytes belong to a character that was cut.
  while (isCut && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return new TextDecoder().decode(bytes.subarray(from))
}
