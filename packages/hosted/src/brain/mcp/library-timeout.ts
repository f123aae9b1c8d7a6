/** Disables the library's timeout, because our own is shorter and ends the call. */
export const LIBRARY_TIMEOUT_MS = 2 ** 31 - 1
