import { fstatSync } from 'node:fs'

export type StdinKind = 'nothing' | 'file' | 'pipe' | 'socket'

/** The kind of standard input. A terminal and /dev/null contain no input. */
export const kindOfStdin = (fd = 0): StdinKind => {
  try {
    const found = fstatSync(fd)
    if (found.isFile()) return 'file'
    if (found.isFIFO()) return 'pipe'
    return found.isSocket() ? 'socket' : 'nothing'
  } catch (error) {
    // Started with standard input closed.
    if (error instanceof Error && 'code' in error && error.code === 'EBADF') return 'nothing'
    throw error
  }
}
