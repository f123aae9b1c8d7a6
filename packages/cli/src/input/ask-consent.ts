import { createInterface } from 'node:readline/promises'
import type { Io } from '../io.ts'

/** Whether the person at the terminal agrees. Without a terminal the answer is no. */
export const askConsent = async (io: Io, question: string): Promise<boolean> => {
  if (!io.err.isTerminal || io.stdinKind() !== 'nothing') {
    io.err.write('nothing was changed: confirmation needs a terminal; add --yes\n')
    return false
  }
  io.err.write(`${question} [y/N] `)
  const lines = createInterface({ input: io.stdin, signal: io.signal })
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim())
    return false
  } finally {
    lines.close()
  }
}
