import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
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

const DRAFT_END = /^(\d+)-[0-9a-f]{12}$/

const draftStart = (path: string): string => join(dirname(path), `.${basename(path)}.`)
