/** Keeps the first bytes of an output and records whether there were more. */
export const createOutputBuffer = (maxBytes: number) => {
  const chunks: Buffer[] = []
  let size = 0
  let truncated = false
  return {
    add: (chunk: Buffer): void => {
      const kept = chunk.subarray(0, maxBytes - size)
      if (kept.length < chunk.length) truncated = true
      if (kept.length > 0) chunks.push(kept)
      size += kept.length
    },
    /** Omits a character that was cut off at the end. */
    text: (): string => new TextDecoder().decode(Buffer.concat(chunks), { stream: truncated }),
    isTruncated: (): boolean => truncated,
  }
}
