import { join } from 'node:path'

/** The module that imports in a thread. The build puts the place of the bundled one here. */
export const IMPORT_MODULE = join(import.meta.dirname, 'import-share.ts')
