import type { HostName } from '@steward/contract'

/** How the hook is started. */
export interface HookProgram {
  /** A Node that can run it, by its whole path: a host's own PATH may lead to another. */
  node: string
  /** `steward-hook.mjs`, by its whole path. */
  file: string
  /** The data home, where it is not the default one. */
  home?: string
  /** Where it is registered, when that is not the person's own settings: it leaves to those what they tell. */
  origin?: HookOrigin
}

export const HOOK_ORIGINS = ['plugin', 'project'] as const
export type HookOrigin = (typeof HOOK_ORIGINS)[number]

/** Every registration of ours has this in it, and nothing else has. */
export const HOOK_FILE = 'steward-hook.mjs'

export const argumentsFor = (program: HookProgram, event: string, host: HostName): string[] => [
  program.file,
  event,
  '--host',
  host,
  ...(program.home === undefined ? [] : ['--home', program.home]),
  ...(program.origin === undefined ? [] : ['--origin', program.origin]),
]

/** The same as a line for a POSIX shell, which most hosts run a command with. */
export const commandLineFor = (program: HookProgram, event: string, host: HostName): string =>
  [program.node, ...argumentsFor(program, event, host)].map(quoteForShell).join(' ')

const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
