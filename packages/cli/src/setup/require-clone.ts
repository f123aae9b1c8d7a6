import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { findInstallation } from './installation.ts'

/** Workers are bundled from Steward's sources with tools that the packed program lacks. */
export const requireClone = (what: string, root: string = findInstallation().root): void => {
  if (existsSync(join(root, 'packages', 'edge'))) return
  throw new StewardError('not_configured', {
    subject: what,
    reason:
      'it works from a clone of Steward (git clone, npm ci, npx steward …); this is the packed program, which only runs locally and calls deployed workers',
  })
}
