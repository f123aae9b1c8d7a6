import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { storageErrorOf } from '@steward/platform'
import type { AudioFormat } from './players.ts'

/** Temporary audio files between an engine and a player; private, with unpredictable names. */
export interface AudioFiles {
  /** Empties the folder: leftovers at start come from a crash. */
  clean: () => Promise<void>
  /** Creates an empty file, passes its path, and removes it afterwards. */
  withFile: <T>(format: AudioFormat, use: (path: string) => Promise<T>) => Promise<T>
}

export const createAudioFiles = (folder: string): AudioFiles => {
  const create = async (format: AudioFormat): Promise<string> => {
    const path = join(folder, `${randomBytes(16).toString('hex')}.${format}`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(path, 'wx', 0o600)
      await file.close()
      return path
    } catch (thrown) {
      throw storageErrorOf(path, thrown)
    }
  }
  return {
    clean: () => rm(folder, { recursive: true, force: true }),
    withFile: async (format, use) => {
      const path = await create(format)
      try {
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    },
  }
}
