/** A value as it crosses between the runner and a host: its length in four bytes, then its JSON. */
export const encodeFrame = (value: unknown): Buffer => {
  const frame = Buffer.from(ROOM_FOR_HEADER + JSON.stringify(value))
  frame.writeUInt32BE(frame.length - HEADER_BYTES)
  return frame
}

const HEADER_BYTES = 4
const ROOM_FOR_HEADER = ' '.repeat(HEADER_BYTES)

/** Takes bytes as they arrive and hands on each complete frame; throws if one is longer than allowed. */
export const createFrameReader = <Message>(
  maxBytes: number,
  onFrame: (message: Message) => void,
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = []
  let size = 0
  let wanted = HEADER_BYTES
  return (chunk) => {
    parts.push(chunk)
    size += chunk.length
    // Joined only when a frame is complete, so that a long one is copied once.
    if (size < wanted) return
    let rest = parts.length === 1 ? chunk : Buffer.concat(parts)
    parts = []
    for (wanted = frameLength(rest, maxBytes); rest.length >= wanted; ) {
      const json = rest.toString('utf8', HEADER_BYTES, wanted)
      rest = rest.subarray(wanted)
      wanted = frameLength(rest, maxBytes)
      onFrame(JSON.parse(json))
    }
    size = rest.length
    if (size > 0) parts.push(rest)
  }
}

const frameLength = (bytes: Buffer, maxBytes: number): number => {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES
  const length = bytes.readUInt32BE(0)
  if (length <= maxBytes) return HEADER_BYTES + length
  throw new RangeError(`a frame of ${length} bytes is longer than ${maxBytes}`)
}
