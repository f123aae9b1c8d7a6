import { type Dirent, mkdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import {
  coalesce,
  type Home,
  isMissing,
  SPECIFICATION_FILES,
  syncSpecificationFile,
  type WorkStatePorts,
} from '@steward/platform'
import type { Log } from '../../log/log.ts'
import type { WorkModulePorts } from './ports.ts'

export interface SpecificationWatcher {
  start: () => Promise<void>
  stop: () => void
  /** The number of watched folders. */
  watched: () => number
  fault: () => string | undefined
}

/** More folders than people work on at a time; the system limits the number of watches. */
const MOST_FOLDERS = 200
/** The hook of an assistant that wrote the file comes first: it knows the session. */
const GATHER_MS = 1000

/**
 * Follows `MEMORY/WORK`, so that a specification edited by any program changes its session. The
 * folders that changed last are watched.
 */
export const createSpecificationWatcher = ({
  home,
  log,
  now,
  setTimer,
  redactor,
  watchFolder,
}: WorkModulePorts): SpecificationWatcher => {
  const stops = new Map<string, () => void>()
  const changed = new Set<string>()
  let endRoot: (() => void) | undefined
  let endTimer: (() => void) | undefined
  let fault: string | undefined
  let isStopped = false

  const noteChange = (slug: string, name: string | null): void => {
    const files = SPECIFICATION_FILES.filter((file) => name === null || name === file)
    for (const file of files) changed.add(join(home.work, slug, file))
    if (files.length > 0) endTimer ??= setTimer(GATHER_MS, syncChanged)
  }

  const syncChanged = (): void => {
    endTimer = undefined
    const files = [...changed]
    changed.clear()
    void syncAll(files, home, { now, redactor: redactor() }, log).then((problem) => {
      fault = problem
    })
  }

  const watchOne = (slug: string): boolean => {
    if (stops.has(slug)) return false
    const end = watchFolder(join(home.work, slug), {
      onChange: (name) => noteChange(slug, name),
      onEnd: () => stops.delete(slug),
    })
    if (end === undefined) return false
    stops.set(slug, end)
    for (const [oldest, endOldest] of stops) {
      if (stops.size <= MOST_FOLDERS) break
      stops.delete(oldest)
      endOldest()
    }
    return true
  }

  const look = coalesce(async () => {
    const slugs = await foldersOf(home.work)
    if (isStopped) return
    const isFirst = stops.size === 0
    for (const slug of slugs) {
      // Its specification may have been written before it was watched.
      if (watchOne(slug) && !isFirst) noteChange(slug, null)
    }
  })

  return {
    start: async () => {
      // A missing folder cannot be watched.
      mkdirSync(home.work, { recursive: true, mode: 0o700 })
      endRoot = watchFolder(home.work, {
        onChange: () => void look().catch((thrown) => log.warn(reasonOf(thrown))),
        onEnd: () => undefined,
      })
      await look()
    },
    stop: () => {
      isStopped = true
      endRoot?.()
      endTimer?.()
      for (const end of stops.values()) end()
    },
    watched: () => stops.size,
    fault: () => fault,
  }
}

/** Returns the last problem. A file that was removed is none. */
const syncAll = async (
  files: readonly string[],
  home: Home,
  ports: WorkStatePorts,
  log: Log,
): Promise<string | undefined> => {
  let fault: string | undefined
  for (const file of files) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue
    const synced = await syncSpecificationFile(home, { file, onlyIfChanged: true }, ports)
    if (synced.ok) continue
    fault = `a specification is not read: ${synced.error.message}`
    log.warn(fault)
  }
  return fault
}

/** The folders that changed last, the oldest first. */
const foldersOf = async (root: string): Promise<string[]> => {
  let entries: Dirent[]
  try {
    entries = await readdir(root, { withFileTypes: true })
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      changedMs: statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .toSorted((one, other) => one.changedMs - other.changedMs)
    .slice(-MOST_FOLDERS)
    .map(({ name }) => name)
}
