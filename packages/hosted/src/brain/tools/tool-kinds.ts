/** Tools that only look: running one again after a crash does no harm. */
const LOOKING: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'web_fetch', 'web_search'])
export const onlyLooks = (name: string): boolean => LOOKING.has(name)

/** Tools that run on the server wherever the sandbox is. */
const SERVER_SIDE: ReadonlySet<string> = new Set(['web_fetch', 'web_search'])
export const runsOnServer = (name: string): boolean => SERVER_SIDE.has(name)
