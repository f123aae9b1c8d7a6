import { join } from 'node:path'
import { type Home, haltsPath } from '@steward/platform'

/** What no assistant may change beside the policy itself: who can, can switch the guards off. */
export const protectedPaths = (
  home: Pick<Home, 'databases' | 'stateDir'>,
  program?: string,
): string[] => [
  home.databases,
  haltsPath(home),
  ...(program === undefined ? [] : [program, join(program, '..', 'steward-hook-program.js')]),
]
