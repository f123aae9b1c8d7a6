import type { HostName } from '@steward/contract'
import { quoteIfNeeded } from '@steward/platform'
import { GUARD_PATHS, type GuardName, type HookEntry } from './hook-entry.ts'

/** How the hook is started. */
export interface HookProgram {
  /** Full path of a Node that can run it: an assistant's own PATH may lead to another. */
  node: string
  /** Full path of `steward-hook.mjs`. */
  file: string
  /** The data home, unless it is the default one. */
  home?: string
  /** Where it is registered, unless in the person's own settings, which take precedence. */
  origin?: HookOrigin
  /** The daemon's address, for assistants that ask it themselves. */
  daemon?: string
  /** The folder of specifications, if assistants are asked to keep them. */
  specifications?: string
  /** The command line that announces a phase, if they are asked to. */
  announce?: string
}

export const HOOK_ORIGINS = ['plugin', 'project'] as const
export type HookOrigin = (typeof HOOK_ORIGINS)[number]

/** Part of each of our commands, and of no other. */
export const HOOK_FILE = 'steward-hook.mjs'

const DEFAULT_DAEMON = 'http://127.0.0.1:31337'

/** Names the assistant whose payload it is; `?host=` also distinguishes our addresses from others. */
export const guardAddress = (
  guard: GuardName,
  host: HostName,
  { daemon = DEFAULT_DAEMON }: HookProgram,
): string => `${daemon}${GUARD_PATHS[guard]}?host=${host}`

const OUR_MARKS = [HOOK_FILE, ...Object.values(GUARD_PATHS).map((path) => `${path}?host=`)]

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

/** The command line for a POSIX shell, which most assistants use. */
export const commandLineFor = (
  program: HookProgram,
  entry: Pick<HookEntry, 'event' | 'guards'>,
  host: HostName,
): string => [program.node, ...argumentsFor(program, entry, host)].map(quoteIfNeeded).join(' ')
