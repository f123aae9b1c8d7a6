import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOrphan, nameProcess } from '../sandbox/running.ts'

const PREFIX = 'egress-'

/**
 * A folder for the socket of an egress. Outside the data home, whose path may be too long for a
 * socket.
 */
export const makeEgressFolder = (parent = tmpdir()): Promise<string> =>
  mkdtemp(join(parent, `${PREFIX}${nameProcess(1)}-`))

/** Removes folders left by killed processes. */
export const clearEgressFolders = async (parent = tmpdir()): Promise<void> => {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX) || !isOrphan(name.slice(PREFIX.length))) continue
    const folder = join(parent, name)
    if (await isOurs(folder)) await rm(folder, { recursive: true, force: true })
  }
}

/** The temporary folder is shared with other users. */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}
