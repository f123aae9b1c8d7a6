import { findInstallation } from './installation.ts'

/** The command that starts this program: a clone has no `steward` on its PATH. */
export const COMMAND = findInstallation().isClone ? 'npx steward' : 'steward'
