import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOrphan, nameProcess } from '../sandbox/running.ts'

const PREFIX = 'egress-'
/** Where a system does not tell when a process began, nobody can say whether it is still the same. */
const CAN_BE_JUDGED = /^\d+-[1-9]\d*-/

/** A folder for the socket of an egress. Outside of the data home, whose path may be too long for one. */
export const makeEgressFolder = (parent = tmpdir()): Promise<string> =>
  mkdtemp(join(parent, `${PREFIX}${nameProcess(1)}-`))

/** Removes what processes that were killed left of theirs. */
export const clearEgressFolders = async (parent = tmpdir()): Promise<void> => {
  for (const name of await readdir(parent)) {
    const owner = name.slice(PREFIX.length)
    if (!name.startsWith(PREFIX) || !CAN_BE_JUDGED.test(owner) || !isOrphan(owner)) continue
    const folder = join(parent, name)
    if (await isOurs(folder)) await rm(folder, { recursive: true, force: true })
  }
}

/** The temporary folder is everybody's. */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}
