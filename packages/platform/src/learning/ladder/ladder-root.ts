import { homedir as systemHomedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Settings } from '@steward/contract'
import { expandTilde, type Home } from '../../home/home.ts'

/**
 * The ladder's folder: `learning.ladder` (relative to the data home, supports `~`) or the default.
 */
export const resolveLadderRoot = (
  home: Pick<Home, 'root' | 'learning'>,
  settings: Pick<Settings, 'learning'>,
  homedir: string = systemHomedir(),
): string => {
  const configured = settings.learning.ladder?.trim()
  if (!configured) return join(home.learning, 'LADDER')
  return resolve(home.root, expandTilde(configured, homedir))
}
