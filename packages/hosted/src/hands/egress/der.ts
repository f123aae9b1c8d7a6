/** The few parts of ASN.1 DER that a certificate needs. */

export const encodeDer = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content])
}

const encodeLength = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.from(evenHex(length), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

const evenHex = (value: number): string => {
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => encodeDer(0x30, ...parts)
export const setOf = (part: Uint8Array): Buffer => encodeDer(0x31, part)
export const utf8 = (text: string): Buffer => encodeDer(0x0c, Buffer.from(text))
export const octets = (bytes: Uint8Array): Buffer => encodeDer(0x04, bytes)
export const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  encodeDer(0x03, Buffer.from([unused]), bytes)
export const yes = (): Buffer => encodeDer(0x01, Buffer.from([0xff]))

/** A non-negative integer: a leading bit that is set needs a zero byte before it. */
export const unsigned = (bytes: Uint8Array): Buffer => {
  const start = bytes.findIndex((byte) => byte !== 0)
  const trimmed = start === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start))
  const first = trimmed[0] ?? 0
  return encodeDer(0x02, first < 0x80 ? trimmed : Buffer.concat([Buffer.from([0]), trimmed]))
}

export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encodeDer(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]))
}

const toBase128 = (value: number): number[] => {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** Seconds since 1970 in the certificate format: a two-digit year up to 2049, then four digits. */
export const time = (epochSeconds: number): Buffer => {
  const text = new Date(epochSeconds * 1000).toISOString().replace(/[-:T]|\.\d+/g, '')
  return Number(text.slice(0, 4)) < 2050
    ? encodeDer(0x17, Buffer.from(text.slice(2)))
    : encodeDer(0x18, Buffer.from(text))
}
