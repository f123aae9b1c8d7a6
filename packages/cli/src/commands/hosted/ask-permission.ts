import { createInterface } from 'node:readline/promises'
import type { Io } from '../../io.ts'

export type Permission = 'allow' | 'deny' | 'later'

/** Whether there is a person at a terminal to ask. */
export const canAsk = (io: Io): boolean => io.err.isTerminal && io.stdinKind() === 'nothing'

/** Asks the person; whatever is neither yes nor no leaves it waiting. */
export const askPermission = async (io: Io, question: string): Promise<Permission> => {
  io.err.write(`${question} [y = allow, n = refuse, Enter = later] `)
  const lines = createInterface({ input: io.stdin, signal: io.signal })
  try {
    for await (const line of lines) {
      if (/^y(es)?$/i.test(line.trim())) return 'allow'
      return /^no?$/i.test(line.trim()) ? 'deny' : 'later'
    }
    return 'later'
  } finally {
    lines.close()
  }
}
