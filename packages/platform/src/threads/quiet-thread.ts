/**
 * Options of a thread that inherits neither flags nor environment. Until version 24, Node warns in
 * every thread that SQLite is experimental; the launcher hides this in the main thread only.
 */
export const QUIET_THREAD = { execArgv: ['--disable-warning=ExperimentalWarning'], env: {} }
