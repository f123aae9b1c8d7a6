import { execFile } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface DiskUse {
  bytes: number
  entries: number
}

const execute = promisify(execFile)

/**
 * What a session's folder holds. By the system's own program, which walks by descriptors: a folder
 * swapped for a link while it is walked leads nowhere.
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
    // It answers all the same when a file went away under it or a folder cannot be read.
    if (thrown instanceof Error && 'stdout' in thrown && typeof thrown.stdout === 'string') {
      if (/^\d+/.test(thrown.stdout)) return { stdout: thrown.stdout }
    }
    throw thrown
  })
  return Number.parseInt(stdout, 10)
}

/** What is free on the disk that holds a folder; cheap enough to ask all the time. */
export const readFree = async (folder: string): Promise<DiskUse> => {
  const { bavail, bsize, ffree } = await statfs(folder)
  return { bytes: bavail * bsize, entries: ffree }
}
