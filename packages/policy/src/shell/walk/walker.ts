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

/** Real command lines stay below this; longer ones are reported as not fully read. */
export const MAX_COMMANDS = 2000

/** State that the functions of a walk share. Every `walk…` function returns the output. */
export interface Walker {
  readonly context: WalkContext
  readonly log: ReadingLog
  readonly files: WrittenFiles
  /** Functions and aliases that are currently running. */
  readonly running: Set<string>
  commands: number
  /** The nesting depth of programs and functions. */
  depth: number
  isForking: boolean
  walkText: (text: string, stdin: string, state: ShellState) => string
  walkScript: (script: Script, stdin: string, state: ShellState) => string
  walk: (command: Command, stdin: string, state: ShellState, script: Script) => string
  /** Runs one program; `isInner` if another program runs it. */
  run: (argv: readonly string[], stdin: string, state: ShellState, isInner: boolean) => string
  expansion: (state: ShellState) => Expansion
  shellFor: (state: ShellState) => Shell
  touch: (kind: PathAccess, path: string, options: TouchOptions, state: ShellState) => void
}
