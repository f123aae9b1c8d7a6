import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The cache folder of commands that tests start, shared between them as it would be between a person's.
 * Most are killed, and would never keep what was compiled for themselves.
 */
export const CACHE_HOME = join(tmpdir(), 'steward-test-cache')

/** Where the launcher keeps compiled code in there; other processes that tests start do so, too. */
export const COMPILED = join(CACHE_HOME, 'steward/compiled')
