import { randomBytes } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../error-code.ts'

/**
 * Writes a file that only its owner can read, unless it exists. Written aside and linked into place,
 * so that another process never sees half of it and only one wins.
 */
export const writeOnce = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(aside, text, { mode: 0o600 })
  try {
    await link(aside, path)
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  } finally {
    await rm(aside, { force: true })
  }
}
