import { existsSync, readdirSync, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'

export interface RecordWatcher {
  /** Watches these folders, too; those that are watched already are left as they are. */
  add: (folders: readonly string[]) => void
  /** Watches these folders as soon as they exist: an assistant may be installed later. */
  await: (folders: readonly string[]) => void
  /** Whether every folder is watched: systems limit how many can be. */
  isComplete: () => boolean
  close: () => void
}

/** Each folder takes a handle of the system, which other programs need as well. */
const MOST_FOLDERS = 4000

/**
 * Reports changed files by path. Folders are watched one by one: the recursive watch of Node holds a
 * handle for every file on Linux.
 */
export const watchRecords = (onChange: (path: string) => void): RecordWatcher => {
  const watched = new Map<string, () => void>()
  const awaited = new Map<string, () => void>()
  let isComplete = true

  const watchOne = (folder: string): void => {
    if (watched.has(folder)) return
    if (watched.size >= MOST_FOLDERS) {
      isComplete = false
      return
    }
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        if (name === null) return
        const path = join(folder, name)
        onChange(path)
        if (kind === 'rename') addIfFolder(path)
      })
      const end = () => {
        watched.delete(folder)
        watcher.close()
      }
      watcher.on('error', end)
      watched.set(folder, end)
    } catch {
      isComplete = false
    }
  }

  /** Files may have been written into a new folder before it was watched. */
  const addIfFolder = (path: string): void => {
    try {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return
      watchOne(path)
      for (const name of readdirSync(path)) {
        onChange(join(path, name))
        addIfFolder(join(path, name))
      }
    } catch {
      // It is gone again.
    }
  }

  /** Watches the nearest folder above it that exists, for the next one on the way down. */
  const awaitOne = (folder: string): void => {
    if (watched.has(folder) || awaited.has(folder)) return
    let next = folder
    while (!existsSync(dirname(next)) && dirname(next) !== next) next = dirname(next)
    try {
      const watcher = watch(dirname(next), { persistent: false }, () => look())
      const end = (): void => {
        awaited.delete(folder)
        watcher.close()
      }
      const look = (): void => {
        if (!existsSync(next) || !awaited.has(folder)) return
        end()
        if (existsSync(folder)) addIfFolder(folder)
        else awaitOne(folder)
      }
      watcher.on('error', end)
      awaited.set(folder, end)
      // It may have appeared before the watch began.
      look()
    } catch {
      isComplete = false
    }
  }

  return {
    add: (folders) => folders.forEach(watchOne),
    await: (folders) => folders.forEach(awaitOne),
    isComplete: () => isComplete,
    close: () => {
      for (const end of [...watched.values(), ...awaited.values()]) end()
    },
  }
}
