import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '@steward/platform'
import { AUDIO_FORMATS, type AudioFormat } from '../players/players.ts'
import { inspectAudio } from './audio-format.ts'

interface CachedSound {
  path: string
  format: AudioFormat
  durationMs: number | undefined
}

/** Caches paid speech. Files are private and the size is limited; damaged files are regenerated. */
export interface AudioCache {
  find: (key: readonly unknown[]) => Promise<CachedSound | undefined>
  keep: (key: readonly unknown[], bytes: Uint8Array, format: AudioFormat) => Promise<string>
}

export interface AudioCacheOptions {
  folder: string
  now: () => number
  maxBytes?: number
}

const MAX_BYTES = 64 * 1024 * 1024

/** `key`: everything that the sound depends on. */
export const createAudioCache = ({
  folder,
  now,
  maxBytes = MAX_BYTES,
}: AudioCacheOptions): AudioCache => {
  const nameOf = (key: readonly unknown[]) =>
    createHash('sha256').update(JSON.stringify(key)).digest('hex')

  const prune = async (kept: string): Promise<void> => {
    const names = await readdir(folder)
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name)
        const found = await stat(path).catch(() => undefined)
        return { path, bytes: found?.size ?? 0, usedAtMs: found?.mtimeMs ?? 0 }
      }),
    )
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    for (const file of files.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (bytes <= maxBytes) return
      if (file.path === kept) continue
      await rm(file.path, { force: true })
      bytes -= file.bytes
    }
  }

  return {
    find: async (key) => {
      for (const format of AUDIO_FORMATS) {
        const path = join(folder, `${nameOf(key)}.${format}`)
        const bytes = await readFile(path).catch(() => undefined)
        if (bytes === undefined) continue
        const sound = inspectAudio(bytes)
        if (sound.ok) {
          const usedAt = new Date(now())
          await utimes(path, usedAt, usedAt)
          return { path, format, durationMs: sound.durationMs }
        }
        await rm(path, { force: true })
      }
      return undefined
    },
    keep: async (key, bytes, format) => {
      const path = join(folder, `${nameOf(key)}.${format}`)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFileAtomically(path, bytes)
      const usedAt = new Date(now())
      await utimes(path, usedAt, usedAt)
      await prune(path)
      return path
    },
  }
}
