import { execFile } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface DiskUse {
  bytes: number
  entries: number
}

const execute = promisify(execFile)

/**
 * The disk use of a session's folder. Uses the system's program, which walks by descriptors, so
 * that a folder swapped for a link during the walk leads nowhere.
 */
export const measureFolder = async (folder: string): Promise<DiskUse> => {
  const [bytes, entries] = await Promise.all([
    sum(['-skx', '--', folder]),
    sum(['-sx', '--inodes', '--', folder]),
  ])
  return { bytes: bytes * 1024, entries }
}

const sum = async (args: readonly string[]): Promise<number> => {
  const { stdout } = await execute('du', args).catch((thrown: unknown) => {
    // The program still prints its result when a file vanished or a folder is unreadable.
    if (thrown instanceof Error && 'stdout' in thrown && typeof thrown.stdout === 'string') {
      if (/^\d+/.test(thrown.stdout)) return { stdout: thrown.stdout }
    }
    throw thrown
  })
  return Number.parseInt(stdout, 10)
}

/** Free space on the disk that holds a folder; cheap enough to query constantly. */
export const readFree = async (folder: string): Promise<DiskUse> => {
  const { bavail, bsize, ffree } = await statfs(folder)
  return { bytes: bavail * bsize, entries: ffree }
}
