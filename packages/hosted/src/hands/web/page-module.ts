import { join } from 'node:path'

/** The module that reads pages, for a thread to load. The build puts the place of the bundled one here. */
export const PAGE_MODULE = join(import.meta.dirname, 'read-page.ts')
