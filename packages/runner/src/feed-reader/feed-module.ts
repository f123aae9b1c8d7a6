import { join } from 'node:path'

/** The module that parses feeds, for a thread to load. The build puts the place of the bundled one here. */
export const FEED_MODULE = join(import.meta.dirname, 'parse-feed-body.ts')
