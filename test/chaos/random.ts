/** Random numbers that the seed decides, so that a failure can be repeated. */
export interface Random {
  /** From 0 up to but not including `limit`. */
  below: (limit: number) => number
  pick: <T>(from: readonly [T, ...T[]]) => T
}

/** mulberry32. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: (from) => from[below(from.length)] ?? from[0] }
}
