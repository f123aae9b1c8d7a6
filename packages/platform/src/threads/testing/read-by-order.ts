import { setImmediate } from 'node:timers/promises'
import type { SendPart } from '../thread-program.ts'

/** A reader for tests: does what its document says. */
export const read = async (order: string, send: SendPart<Uint8Array>): Promise<string> => {
  if (order === 'send parts') {
    for (const value of [1, 2, 3]) {
      const part = new Uint8Array([value])
      send(part, [part.buffer])
      if (part.length > 0) return 'a part was copied'
    }
  }
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
