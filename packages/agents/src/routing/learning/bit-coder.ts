/** Codes one bit: a writer gets it, a reader returns it. Each context has its own probability. */
export type CodeBit = (context: string, bit?: boolean) => boolean

const TOP = 0xffff_ffff
const BYTE = 256
const LEADING = 0x100_0000
const ONE = 65_536
/** Keeps every probability above 0 and below 1. */
const LEAST = 64
const SLOWEST = 200

interface Context {
  /** The probability of a set bit, in parts of 65,536. */
  probability: number
  seen: number
}

/** Splits the numbers from `low` to `high` by the probability, which it then adapts to the bits. */
const createSplit = () => {
  const contexts = new Map<string, Context>()
  return {
    at: (name: string, low: number, high: number): number => {
      const { probability } = contexts.get(name) ?? { probability: ONE / 2 }
      return low + Math.floor(((high - low) * probability) / ONE)
    },
    learn: (name: string, bit: boolean): void => {
      const { probability, seen } = contexts.get(name) ?? { probability: ONE / 2, seen: 0 }
      const moved = probability + Math.trunc(((bit ? ONE : 0) - probability) / (seen + 1.5))
      contexts.set(name, {
        probability: Math.min(Math.max(moved, LEAST), ONE - LEAST),
        seen: Math.min(seen + 1, SLOWEST),
      })
    },
  }
}

/** Writes bits with a binary arithmetic coder, which stores probable bits in less space. */
export const createBitWriter = (): { code: CodeBit; end: () => number[] } => {
  const split = createSplit()
  const bytes: number[] = []
  let low = 0
  let high = TOP
  const shift = (): void => {
    bytes.push(Math.floor(low / LEADING))
    low = (low % LEADING) * BYTE
    high = (high % LEADING) * BYTE + BYTE - 1
  }
  return {
    code: (context, bit = false) => {
      const middle = split.at(context, low, high)
      if (bit) high = middle
      else low = middle + 1
      split.learn(context, bit)
      while (Math.floor(low / LEADING) === Math.floor(high / LEADING)) shift()
      return bit
    },
    end: () => {
      for (let count = 0; count < 4; count += 1) shift()
      return bytes
    },
  }
}

/** Reads what a bit writer wrote, if asked for the same contexts in the same order. */
export const createBitReader = (bytes: readonly number[]): CodeBit => {
  const split = createSplit()
  let at = 0
  let low = 0
  let high = TOP
  let value = 0
  const shift = (): void => {
    value = (value % LEADING) * BYTE + (bytes[at] ?? 0)
    at += 1
  }
  for (let count = 0; count < 4; count += 1) shift()
  return (context) => {
    const middle = split.at(context, low, high)
    const bit = value <= middle
    if (bit) high = middle
    else low = middle + 1
    split.learn(context, bit)
    while (Math.floor(low / LEADING) === Math.floor(high / LEADING)) {
      low = (low % LEADING) * BYTE
      high = (high % LEADING) * BYTE + BYTE - 1
      shift()
    }
    return bit
  }
}
