import { join } from 'node:path'
import { type Home, haltsPath } from '@steward/platform'

/** Beside the hook program, which loads one of them. */
const PROGRAMS = ['steward-hook-program.js', 'steward-hook-guard.js', 'steward-hook-late.mjs']

/**
 * Files besides the policy that no assistant may change, because they could switch the guards off.
 */
export const protectedPaths = (
  home: Pick<Home, 'databases' | 'stateDir'>,
  program?: string,
): string[] => [
  home.databases,
  haltsPath(home),
  ...(program === undefined ? [] : [program, ...PROGRAMS.map((name) => join(program, '..', name))]),
]
