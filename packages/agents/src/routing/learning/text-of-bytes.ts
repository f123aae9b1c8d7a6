/** Printable characters that need no escape in a string with single quotes. */
const SIGNS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))
  .filter((sign) => !`'"\\`.includes(sign))
  .join('')

/** Two of 91 signs hold 13 bits. */
const GROUP_BITS = 13

/** Bytes as printable text, 16 characters for 13 bytes. */
export const textOfBytes = (bytes: readonly number[]): string =>
  regroup(bytes, 8, GROUP_BITS)
    .map((group) => `${SIGNS[Math.floor(group / SIGNS.length)]}${SIGNS[group % SIGNS.length]}`)
    .join('')

/** The bytes of such a text, and zeros up to the end of its last group. */
export const bytesOfText = (text: string): number[] => {
  const signs = [...text].map((sign) => SIGNS.indexOf(sign))
  const groups = signs.flatMap((sign, at) =>
    at % 2 === 0 ? [sign * SIGNS.length + (signs[at + 1] ?? 0)] : [],
  )
  return regroup(groups, GROUP_BITS, 8)
}

/** The same bits in groups of another size. */
const regroup = (groups: readonly number[], from: number, to: number): number[] => {
  const found: number[] = []
  let held = 0
  let bits = 0
  const take = (): void => {
    bits -= to
    found.push(Math.floor(held / 2 ** bits))
    held %= 2 ** bits
  }
  for (const group of groups) {
    held = held * 2 ** from + group
    bits += from
    while (bits >= to) take()
  }
  if (bits > 0) {
    held *= 2 ** (to - bits)
    bits = to
    take()
  }
  return found
}
