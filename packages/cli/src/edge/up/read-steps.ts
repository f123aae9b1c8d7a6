import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseDuration } from './parse-duration.ts'

/** Reads `advance 5m` line by line; each line is answered before the next one is looked at. */
export const readSteps = async (
  stdin: Readable,
  signal: AbortSignal,
  advance: (durationMs: number) => Promise<unknown>,
  answer: (value: unknown) => void,
): Promise<void> => {
  const lines = createInterface({ input: stdin, signal })
  for await (const line of lines) {
    const [word, duration = '', ...more] = line.trim().split(/\s+/)
    if (word === '') continue
    const durationMs = parseDuration(duration)
    if (word !== 'advance' || durationMs === undefined || more.length > 0) {
      answer({ error: `not understood: ${line.trim()}; write for example: advance 5m` })
      continue
    }
    answer(await advance(durationMs))
  }
}
