import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { draftPath } from './drafts.ts'

/**
 * Replaces a file whole: a reader sees the old text or the new, and once this is done the new text
 * survives a power cut. The file keeps its mode; a new one gets `mode`. `beforeReplace` is the last
 * chance to refuse, by throwing: whoever does not take locks may have written meanwhile.
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
    if (thrown instanceof StewardError) throw thrown
    throw new StewardError('storage_failed', { path, reason: reasonOf(thrown) }, thrown)
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
