import type { Command } from 'commander'
import type { Io } from '../io.ts'

export interface CommandEntry {
  summary: string
  /** A command's code is loaded when it is asked for: nothing else has to start with it. */
  load: () => Promise<(io: Io) => Command>
  /** Other words for it, kept for people who come from elsewhere. */
  aliases?: readonly string[]
  hidden?: boolean
}

export type CommandTable = Readonly<Record<string, CommandEntry>>

/** The entry that a word stands for, by name or alias. */
export const findIn = (
  table: CommandTable,
  word: string,
): { name: string; entry: CommandEntry } | undefined => {
  for (const [name, entry] of Object.entries(table)) {
    if (name === word || entry.aliases?.includes(word)) return { name, entry }
  }
  return undefined
}
