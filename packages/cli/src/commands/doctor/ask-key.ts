import type { TerminalInput } from '../../input/prompt-hidden.ts'
import { Interruption } from '../../interruption.ts'
import type { Sink } from '../../io.ts'

const INTERRUPT = '\u0003'

/** Asks a question with a single key; every key except `y` means no. */
export const askKey = (stdin: TerminalInput, sink: Sink, question: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    // Set before the question, so that a quick answer is not echoed.
    stdin.setRawMode(true)
    sink.write(`${question} [y/n] `)
    stdin.once('data', (chunk: Buffer | string) => {
      stdin.setRawMode(false)
      stdin.pause()
      const key = chunk.toString()[0] ?? ''
      const isYes = /y/i.test(key)
      sink.write(isYes ? 'yes\n' : 'no\n')
      if (key === INTERRUPT) reject(new Interruption('SIGINT'))
      else resolve(isYes)
    })
    stdin.resume()
  })
