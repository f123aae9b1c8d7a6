import { createDaemonClient } from '@steward/contract/client'

/** The daemon that serves this page. */
export const daemon = createDaemonClient({ base: '', fetch: (url, init) => fetch(url, init) })
