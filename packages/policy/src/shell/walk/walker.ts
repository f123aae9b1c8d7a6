import type { PathAccess } from '@steward/contract'
import type { Expansion } from '../expand-word.ts'
import type { Shell } from '../program.ts'
import type { ShellState } from '../shell-state.ts'
import type { Command, Script } from '../syntax.ts'
import type { ReadingLog } from './reading-log.ts'
import type { WrittenFiles } from './written-files.ts'

export interface WalkContext {
  home: string
  environment: Readonly<Record<string, string | undefined>>
}

interface TouchOptions {
  recursive?: boolean
  gentle?: boolean
  mention?: boolean
  names?: boolean
  replaces?: boolean
  rights?: 'private' | 'closed'
}

/** More than any command line a person means; beyond it we say that we did not read on. */
export const MAX_COMMANDS = 2000

/** What the pieces of a walk through a script share. Every `walk…` answers with what would be printed. */
export interface Walker {
  readonly context: WalkContext
  readonly log: ReadingLog
  readonly files: WrittenFiles
  /** Functions and aliases that are being run. */
  readonly running: Set<string>
  commands: number
  /** Programs and functions that run inside each other. */
  depth: number
  isForking: boolean
  walkText: (text: string, stdin: string, state: ShellState) => string
  walkScript: (script: Script, stdin: string, state: ShellState) => string
  walk: (command: Command, stdin: string, state: ShellState, script: Script) => string
  /** Runs one program; `isInner` when another one was asked to run it. */
  run: (argv: readonly string[], stdin: string, state: ShellState, isInner: boolean) => string
  expansion: (state: ShellState) => Expansion
  shellFor: (state: ShellState) => Shell
  touch: (kind: PathAccess, path: string, options: TouchOptions, state: ShellState) => void
}
