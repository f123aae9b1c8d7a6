import { Command } from 'commander'
import { completeWords } from '../complete/complete-words.ts'
import type { Io } from '../io.ts'

/** What the completion scripts ask; the last word is the one being written. */
export const createCompleteCommand = (io: Io): Command =>
  new Command('__complete')
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const candidates = await completeWords(io, words)
      io.out.write(candidates.map((candidate) => `${candidate}\n`).join(''))
    })
