import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The cache folder of commands that tests start, shared between them like a person's. Most are
 * killed and would never write a cache themselves.
 */
export const CACHE_HOME = join(tmpdir(), 'steward-test-cache')

/** The launcher's compile cache in it; other test processes use it too. */
export const COMPILED = join(CACHE_HOME, 'steward/compiled')
