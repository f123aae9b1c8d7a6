import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StewardError } from '@steward/contract'
import { codeOf, isMissing } from '@steward/platform'

/** Writes a folder of files atomically, and never over an existing one. */
export const writeNewFolder = async (
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> => {
  if (await exists(folder)) throw alreadyThere(folder)
  const draft = join(dirname(folder), `.new-${process.pid}-${Date.now()}`)
  await mkdir(draft, { recursive: true })
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(draft, name), text)
    await rename(draft, folder)
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true })
    throw isTaken(thrown) ? alreadyThere(folder) : thrown
  }
}

/** Writes a file that must not exist yet. */
export const writeNewFile = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (thrown) {
    throw isTaken(thrown) ? alreadyThere(path) : thrown
  }
}

const alreadyThere = (path: string): StewardError =>
  new StewardError('invalid_input', {
    subject: path,
    reason: 'already exists; nothing is overwritten, so choose another name or move it away',
  })

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path)
    return true
  } catch (thrown) {
    if (isMissing(thrown)) return false
    throw thrown
  }
}

const isTaken = (thrown: unknown): boolean => ['EEXIST', 'ENOTEMPTY'].includes(codeOf(thrown) ?? '')
