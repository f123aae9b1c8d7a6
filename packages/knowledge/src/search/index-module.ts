import { join } from 'node:path'

/** The module that indexes long texts, for a thread to load. The build puts the place of the bundled one here. */
export const INDEX_MODULE = join(import.meta.dirname, 'index-sent-text.ts')
