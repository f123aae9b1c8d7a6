import { join } from 'node:path'

/** The module of the offline model, for a thread to load. The build puts the place of the bundled one here. */
export const OFFLINE_MODULE = join(import.meta.dirname, 'answer-offline.ts')
