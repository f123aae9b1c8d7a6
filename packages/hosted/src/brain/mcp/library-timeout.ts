/** The time limit of the library is not wanted: ours is shorter and ends the call. */
export const LIBRARY_TIMEOUT_MS = 2 ** 31 - 1
