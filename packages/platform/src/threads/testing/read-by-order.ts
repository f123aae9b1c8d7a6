import { setImmediate } from 'node:timers/promises'

/** A reader for tests: does what its document says. */
export const read = async (order: string): Promise<string> => {
  if (order === 'loop') for (;;);
  if (order === 'fill memory') {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index))
  }
  if (order === 'overflow the stack') return overflow(0)
  if (order === 'exit') process.exit(3)
  if (order === 'show the environment') return JSON.stringify(process.env)
  await setImmediate()
  return `read ${order}`
}

const overflow = (depth: number): string => `${overflow(depth + 1)}x`
