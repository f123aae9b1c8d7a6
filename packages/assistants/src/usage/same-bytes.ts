/** Whether the same bytes are at two places, four at a time. */
export const isSame = (
  one: DataView,
  from: number,
  other: DataView,
  otherFrom: number,
  length: number,
): boolean => {
  let at = 0
  for (; at + 4 <= length; at += 4) {
    if (one.getInt32(from + at, true) !== other.getInt32(otherFrom + at, true)) return false
  }
  for (; at < length; at++) {
    if (one.getUint8(from + at) !== other.getUint8(otherFrom + at)) return false
  }
  return true
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength)
