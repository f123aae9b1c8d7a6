import { join } from 'node:path'

/** The module that sums up a ledger in a thread. The build puts the place of the bundled one here. */
export const REPORT_MODULE = join(import.meta.dirname, 'read-report.ts')
