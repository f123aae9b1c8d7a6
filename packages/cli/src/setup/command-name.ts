import { findInstallation } from './installation.ts'

/** What a person types to start this program: a clone has no `steward` on its path. */
export const COMMAND = findInstallation().isClone ? 'npx steward' : 'steward'
