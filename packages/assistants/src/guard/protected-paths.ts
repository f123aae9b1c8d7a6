import { join } from 'node:path'
import { type Home, haltsPath } from '@steward/platform'

/**
 * Files besides the policy that no assistant may change, because they could switch the guards off.
 */
export const protectedPaths = (
  home: Pick<Home, 'databases' | 'stateDir'>,
  program?: string,
): string[] => [
  home.databases,
  haltsPath(home),
  ...(program === undefined ? [] : [program, join(program, '..', 'steward-hook-program.js')]),
]
