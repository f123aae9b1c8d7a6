import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_ORIGINS, reasonOf, type UsageOrigin } from '@steward/contract'
import { isAbsent, isInside } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { OWN_READERS } from './own-records.ts'
import type { UsagePlace, UsageReader, UsageSource } from './usage-reader.ts'

/** A file with usage in it, as it is now. */
export interface UsageRecord {
  assistant: UsageOrigin
  source: UsageSource
  /** Differs after a change. */
  stamp: string
  changedMs: number
  bytes: number
}

export interface FoundRecords {
  records: UsageRecord[]
  /** All folders that were looked at, to be watched. */
  folders: string[]
  /** Folders that do not exist yet: the assistant was not used so far. */
  absent: string[]
  /** What could not be read, with the reason. */
  problems: string[]
}

/** Other work of the process goes on after this long. */
const SLICE_MS = 10

/** A wait that is over at once, unless the process was busy for a while. */
export const createBreather = (): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE_MS) return
    await new Promise<void>((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}

/** All records of a person. Symbolic links are followed, and each folder is read once. */
export const findRecords = async (place: UsagePlace): Promise<FoundRecords> => {
  const breathe = createBreather()
  const found: FoundRecords = { records: [], folders: [], absent: [], problems: [] }
  for (const { assistant, reader } of await loadReaders()) {
    const seen = new Set<string>()
    const open = reader.folders(place).map((folder) => ({ ...folder }))
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      await breathe()
      try {
        const real = realpathSync(folder.path)
        if (seen.has(real)) continue
        seen.add(real)
        const entries = readdirSync(folder.path, { withFileTypes: true })
        found.folders.push(folder.path)
        for (const entry of entries) {
          const path = join(folder.path, entry.name)
          if (folder.isDeep && isFolder(entry, path)) open.push({ path, isDeep: true })
          else found.records.push(...recordOf(assistant, reader, path))
        }
      } catch (thrown) {
        if (isAbsent(thrown)) found.absent.push(folder.path)
        else found.problems.push(`${assistant}: ${reasonOf(thrown)}`)
      }
    }
  }
  return found
}

/** The records that changed files belong to, without looking at any other. */
export const recordsAt = async (
  paths: Iterable<string>,
  place: UsagePlace,
): Promise<UsageRecord[]> => {
  const readers = await loadReaders()
  const records = new Map<string, UsageRecord>()
  for (const path of paths) {
    for (const { assistant, reader } of readers) {
      if (!reader.folders(place).some((folder) => isInside(folder.path, path))) continue
      for (const record of recordOf(assistant, reader, path)) {
        records.set(record.source.path, record)
      }
    }
  }
  return [...records.values()]
}

const loadReaders = async (): Promise<Array<{ assistant: UsageOrigin; reader: UsageReader }>> => {
  const assistants = Object.values(ASSISTANTS).flatMap(({ name, loadUsage }) =>
    loadUsage === undefined ? [] : [loadUsage().then((reader) => ({ assistant: name, reader }))],
  )
  const own = OWN_ORIGINS.map((assistant) => ({ assistant, reader: OWN_READERS[assistant] }))
  return [...(await Promise.all(assistants)), ...own]
}

const isFolder = (entry: Dirent, path: string): boolean =>
  entry.isDirectory() ||
  (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)

const recordOf = (assistant: UsageOrigin, reader: UsageReader, path: string): UsageRecord[] => {
  const source = reader.sourceOf(path)
  const own = source && statSync(source.path, { throwIfNoEntry: false })
  if (source === undefined || own === undefined || !own.isFile()) return []
  // A database has changed if the file with its latest changes has.
  const wal = /\.(db|sqlite)$/.test(source.path)
    ? statSync(`${source.path}-wal`, { throwIfNoEntry: false })
    : undefined
  const stamp = [own, wal].map((each) => each && `${each.ino} ${each.size} ${each.mtimeMs}`).join()
  const changedMs = Math.max(own.mtimeMs, wal?.mtimeMs ?? 0)
  return [{ assistant, source, stamp, changedMs, bytes: own.size }]
}
