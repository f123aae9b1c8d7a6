import type { Cursor } from '../cursor.ts'
import type { ScriptReaders } from '../parse-word.ts'
import type { Command, Redirect, Script } from '../syntax.ts'

/** State that the readers of all constructs share: the position, and callbacks into the grammar. */
export interface Parser {
  readonly cursor: Cursor
  readonly readers: ScriptReaders
  readScript: (isEnd: () => boolean) => Script
  readCommand: () => Command
  /** Skips blank lines and comments; reads the here-documents that begin on the next line. */
  skipLines: () => void
  /** The keyword at the current position, if any. */
  peekReserved: () => string | undefined
  expect: (word: string) => void
  /** Registers a here-document whose body begins on the next line. */
  await: (redirect: Redirect, end: HereEnd) => void
}

/** The end marker of a here-document, and whether its text is literal. */
export interface HereEnd {
  delimiter: string
  quoted: boolean
  dashed: boolean
}

/** A command whose range and redirections are not known yet. */
export type Bare<T> = T extends unknown ? Omit<T, 'start' | 'end' | 'redirects'> : never

export const CLOSERS: ReadonlySet<string> = new Set([
  'then',
  'elif',
  'else',
  'fi',
  'do',
  'done',
  'esac',
  '}',
])
