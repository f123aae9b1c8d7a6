/** Keeps the first bytes of an output and whether there were more. */
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
    /** A character cut at the end is omitted. */
    text: (): string => new TextDecoder().decode(Buffer.concat(chunks), { stream: truncated }),
    isTruncated: (): boolean => truncated,
  }
}
