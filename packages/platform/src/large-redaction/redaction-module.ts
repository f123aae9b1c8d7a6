import { join } from 'node:path'

/** The module that masks records, for a thread to load. The build puts the place of the bundled one here. */
export const REDACTION_MODULE = join(import.meta.dirname, 'redact-records.ts')
