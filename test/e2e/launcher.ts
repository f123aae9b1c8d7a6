import { join } from 'node:path'
import { inject } from 'vitest'

/** The published form of the program, built from this tree before the tests. */
export const PACKED_LAUNCHER = inject('packedLauncher')

/** The hook program of the same package. */
export const PACKED_HOOK = join(PACKED_LAUNCHER, '../../hook/steward-hook.mjs')

/** The program in a clone: for commands that build or deploy workers, and for the README. */
export const CLONE_LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')
