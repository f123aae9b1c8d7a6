import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isAlive } from '../processes/start-time.ts'
import { listIfPresent } from './read-if-present.ts'

/** Where the next text of a file is written before it takes the file's place. */
export const draftPath = (path: string): string =>
  `${draftStart(path)}${process.pid}-${randomHex(DRAFT_DIGITS)}`

const DRAFT_DIGITS = 12

/** Names only have to differ: loading `node:crypto` for them would take longer than a hook's other work. */
const randomHex = (digits: number): string =>
  Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0')

/** Removes drafts of writers that were killed. Only for whoever holds the file's lock. */
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
