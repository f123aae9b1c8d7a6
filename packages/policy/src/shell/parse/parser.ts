import type { Cursor } from '../cursor.ts'
import type { ScriptReaders } from '../parse-word.ts'
import type { Command, Redirect, Script } from '../syntax.ts'

/** What the readers of single constructs share: where they are, and the way back to the whole grammar. */
export interface Parser {
  readonly cursor: Cursor
  readonly readers: ScriptReaders
  readScript: (isEnd: () => boolean) => Script
  readCommand: () => Command
  /** Blank lines and comments; here-documents that begin on the next line are read on the way. */
  skipLines: () => void
  /** The keyword that stands here, if one does. */
  peekReserved: () => string | undefined
  expect: (word: string) => void
  /** A here-document whose body begins with the next line. */
  await: (redirect: Redirect, end: HereEnd) => void
}

/** How a here-document ends, and whether its text is taken as it stands. */
export interface HereEnd {
  delimiter: string
  quoted: boolean
  dashed: boolean
}

/** A command whose place and redirections are not known yet. */
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
