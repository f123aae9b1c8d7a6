import type { HookKind } from './hook-entry.ts'
import type { HookProgram } from './hook-program.ts'

/** Our hooks in the text of a file. */
export interface RegisteredHooks {
  /** Whether a hook of this kind is registered; `counts` may check more of its text. */
  has: (kind: HookKind, counts?: (text: string) => boolean) => boolean
  /** How many hooks of other programs are in the same file. */
  foreign: number
}

/** How an assistant's file holds hooks. */
export interface HookFormat {
  /** The file with our hooks. Throws when the file does not have the expected form. */
  add: (before: string | undefined, program: HookProgram, path: string) => string
  /** The file without our hooks; undefined if nothing is left. */
  remove: (now: string, path: string) => string | undefined
  /** The hooks in a file; undefined if the file cannot be parsed. */
  find: (text: string | undefined) => RegisteredHooks | undefined
}
