import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing } from '../error-code.ts'
import { storageErrorOf } from '../storage-error.ts'
import { draftPath } from './drafts.ts'

/**
 * Atomically replaces a file: readers see the old text or the new one, and afterwards the new text
 * survives a power failure. The file keeps its mode; a new one gets `mode`. `beforeReplace` may
 * still refuse by throwing, because programs without locks may have written meanwhile.
 */
export const writeFileAtomically = async (
  path: string,
  text: string | Uint8Array,
  { mode = 0o600, beforeReplace }: { mode?: number; beforeReplace?: () => void } = {},
): Promise<void> => {
  const folder = dirname(path)
  const draft = draftPath(path)
  try {
    const file = await open(draft, 'wx', (await modeOf(path)) ?? mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    beforeReplace?.()
    await rename(draft, path)
    await syncFolder(folder)
  } catch (thrown) {
    await rm(draft, { force: true })
    throw storageErrorOf(path, thrown)
  }
}

const modeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).mode & 0o777
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
