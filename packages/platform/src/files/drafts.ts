import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../error-code.ts'
import { isAlive } from '../processes/start-time.ts'
import { listIfPresent } from './read-if-present.ts'

/** The temporary file for an atomic replacement. */
export const draftPath = (path: string): string =>
  `${draftStart(path)}${process.pid}-${randomHex(DRAFT_DIGITS)}`

const DRAFT_DIGITS = 12

/**
 * Names only need to be unique: loading `node:crypto` would take longer than the rest of a hook.
 */
const randomHex = (digits: number): string =>
  Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0')

/** Removes temporary files of killed writers. The caller must hold the file's lock. */
export const removeLeftDrafts = async (path: string): Promise<void> => {
  const folder = dirname(path)
  const start = basename(draftStart(path))
  for (const name of await listIfPresent(folder)) {
    const pid = name.startsWith(start) ? DRAFT_END.exec(name.slice(start.length))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true })
  }
}

/** A draft takes the place of its file within milliseconds. */
const STALE_MS = 60_000
/** Folders that hold no file of ours, and many of others'. */
const FOREIGN = new Set(['.git', 'node_modules'])

/**
 * Removes the drafts of killed writers in a folder and everything below it, and counts them. A process
 * whose id is not known here may write from another container, so a draft must also be old.
 */
export const removeStaleDrafts = async (folder: string, nowMs: number): Promise<number> => {
  let removed = 0
  for (const entry of await entriesIn(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !FOREIGN.has(entry.name)) {
      removed += await removeStaleDrafts(path, nowMs)
    } else if (entry.isFile() && (await isStale(path, entry.name, nowMs))) {
      await rm(path, { force: true })
      removed += 1
    }
  }
  return removed
}

const isStale = async (path: string, name: string, nowMs: number): Promise<boolean> => {
  const pid = DRAFT.exec(name)?.[1]
  if (pid === undefined || isAlive(Number(pid))) return false
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && nowMs - found.mtimeMs > STALE_MS
}

const DRAFT = /^\..+\.(\d+)-[0-9a-f]{12}$/

/** A folder that is gone or closed to us holds no draft that we could remove. */
const entriesIn = async (folder: string): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM') return []
    throw thrown
  }
}

const DRAFT_END = /^(\d+)-[0-9a-f]{12}$/

const draftStart = (path: string): string => join(dirname(path), `.${basename(path)}.`)
