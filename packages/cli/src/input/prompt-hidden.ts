import type { Readable } from 'node:stream'
import { Interruption } from '../interruption.ts'
import type { Sink } from '../io.ts'

/** Standard input connected to a person. */
export interface TerminalInput extends Readable {
  isTTY: true
  setRawMode: (raw: boolean) => unknown
}

export const isTerminalInput = (stdin: Readable): stdin is TerminalInput =>
  'isTTY' in stdin && stdin.isTTY === true && 'setRawMode' in stdin

const ENTER = /[\r\n]/
const INTERRUPT = '\u0003'
const END = '\u0004'
const ERASE = new Set(['\u007f', '\b'])

/** Asks for one line without echo. */
export const promptHidden = (stdin: TerminalInput, sink: Sink, question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let typed: string[] = []
    const finish = (settle: () => void) => {
      stdin.off('data', read)
      stdin.setRawMode(false)
      stdin.pause()
      sink.write('\n')
      settle()
    }
    const read = (chunk: Buffer | string) => {
      for (const char of chunk.toString()) {
        if (char === INTERRUPT) return finish(() => reject(new Interruption('SIGINT')))
        if (char === END || ENTER.test(char)) return finish(() => resolve(typed.join('')))
        typed = ERASE.has(char) ? typed.slice(0, -1) : [...typed, char]
      }
    }
    sink.write(question)
    // In raw mode the terminal does not echo, and ^C arrives as a character.
    stdin.setRawMode(true)
    stdin.on('data', read)
    stdin.resume()
  })
