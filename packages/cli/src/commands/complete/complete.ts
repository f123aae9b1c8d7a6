import { Command } from 'commander'
import type { Io } from '../../io.ts'
import type { CommandTable } from '../command-table.ts'
import { completeWords } from './complete-words.ts'

/** What the completion scripts ask; the last word is the one being written. */
export const createCompleteCommand =
  (table: CommandTable) =>
  (io: Io): Command =>
    new Command('__complete')
      .argument('[words...]')
      .allowUnknownOption()
      .action(async (words: string[]) => {
        const candidates = await completeWords(io, words, table)
        io.out.write(candidates.map((candidate) => `${candidate}\n`).join(''))
      })
