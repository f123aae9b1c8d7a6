import type { Command } from 'commander'
import type { Io } from '../io.ts'

export interface CommandEntry {
  summary: string
  /** Commands are loaded on demand, so that starting one does not load the others. */
  load: () => Promise<(io: Io) => Command>
  /** Aliases, for people used to other tools. */
  aliases?: readonly string[]
  hidden?: boolean
}

export type CommandTable = Readonly<Record<string, CommandEntry>>

/** The entry for a word, by name or alias. */
export const findIn = (
  table: CommandTable,
  word: string,
): { name: string; entry: CommandEntry } | undefined => {
  for (const [name, entry] of Object.entries(table)) {
    if (name === word || entry.aliases?.includes(word)) return { name, entry }
  }
  return undefined
}
