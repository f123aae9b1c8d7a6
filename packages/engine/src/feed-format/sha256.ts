/**
 * SHA-256 as lower-case hex, synchronously: Web Crypto only has an asynchronous one, and parsing
 * a feed that needs it for a few nameless items should not make every caller wait.
 */
export const sha256Hex = (text: string): string => {
  const message = pad(new TextEncoder().encode(text))
  const view = new DataView(message.buffer)
  const state = Uint32Array.from(INITIAL)
  const words = new Uint32Array(64)
  for (let offset = 0; offset < message.length; offset += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(offset + i * 4)
    compress(state, words)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

const pad = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  return padded
}

const compress = (state: Uint32Array, words: Uint32Array): void => {
  const word = (index: number): number => words[index] ?? 0
  for (let i = 16; i < 64; i++) {
    const near = word(i - 15)
    const far = word(i - 2)
    const sigma0 = rotate(near, 7) ^ rotate(near, 18) ^ (near >>> 3)
    const sigma1 = rotate(far, 17) ^ rotate(far, 19) ^ (far >>> 10)
    words[i] = word(i - 16) + sigma0 + word(i - 7) + sigma1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + sum1 + choice + (ROUNDS[i] ?? 0) + word(i)) | 0
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + sum0 + majority) | 0
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = (state[index] ?? 0) + value
  }
}

const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by))

/** FIPS 180-4: the first 32 bits of the fractional parts of roots of the first primes. */
const fractionBits = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32)

const firstPrimes = (count: number): number[] => {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  }
  return primes
}

const ROUNDS = Uint32Array.from(firstPrimes(64), (prime) => fractionBits(Math.cbrt(prime)))
const INITIAL = Uint32Array.from(firstPrimes(8), (prime) => fractionBits(Math.sqrt(prime)))
