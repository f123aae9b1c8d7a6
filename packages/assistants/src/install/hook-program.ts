import type { HostName } from '@steward/contract'
import { GUARD_PATHS, type GuardName } from './guard-paths.ts'
import type { HookEntry } from './hook-table.ts'

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
  /** Where the daemon is, for hosts that ask it themselves. */
  daemon?: string
}

export const HOOK_ORIGINS = ['plugin', 'project'] as const
export type HookOrigin = (typeof HOOK_ORIGINS)[number]

/** Every command of ours has this in it, and nothing else has. */
export const HOOK_FILE = 'steward-hook.mjs'

const DEFAULT_DAEMON = 'http://127.0.0.1:31337'

/** Says whose payload it is; it also tells our addresses from those of others. */
export const guardAddress = (guard: GuardName, { daemon = DEFAULT_DAEMON }: HookProgram): string =>
  `${daemon}${GUARD_PATHS[guard]}?host=claude`

const OUR_MARKS = [HOOK_FILE, ...Object.values(GUARD_PATHS).map((path) => `${path}?host=claude`)]

/** Whether a registration, or a part of one, is ours. */
export const isOurs = (entry: unknown): boolean => {
  const text = JSON.stringify(entry ?? null)
  return OUR_MARKS.some((mark) => text.includes(mark))
}

export const argumentsFor = (
  program: HookProgram,
  { event, guards }: Pick<HookEntry, 'event' | 'guards'>,
  host: HostName,
): string[] => [
  program.file,
  event,
  '--host',
  host,
  ...(guards ? ['--guard'] : []),
  ...(program.home === undefined ? [] : ['--home', program.home]),
  ...(program.origin === undefined ? [] : ['--origin', program.origin]),
]

/** The same as a line for a POSIX shell, which most hosts run a command with. */
export const commandLineFor = (
  program: HookProgram,
  entry: Pick<HookEntry, 'event' | 'guards'>,
  host: HostName,
): string => [program.node, ...argumentsFor(program, entry, host)].map(quoteForShell).join(' ')

const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
