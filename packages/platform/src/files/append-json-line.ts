import { type FileHandle, open } from 'node:fs/promises'
import { StewardError } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import { endsTorn } from './ends-torn.ts'

/**
 * Appends one line to a log in a single write, so that lines of several processes never mix.
 * `durable` waits until it is on disk. An incomplete write, for example on a full disk, leaves the
 * file unchanged.
 */
export const appendJsonLine = async (
  path: string,
  value: unknown,
  { durable = false }: { durable?: boolean } = {},
): Promise<void> => {
  const text = JSON.stringify(value)
  if (text === undefined) {
    throw new StewardError('storage_failed', { path, reason: 'the value has no JSON form' })
  }
  const line = Buffer.from(`${text}\n`)
  try {
    const file = await open(path, 'a+', 0o600)
    try {
      // A crash may have left the last line incomplete: without a line break, ours would be lost
      // with it.
      await write(path, file, endsTorn(file.fd) ? Buffer.concat([LINE_BREAK, line]) : line)
      if (durable) await file.sync()
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown)
  }
}

const LINE_BREAK = Buffer.from('\n')

const write = async (path: string, file: FileHandle, bytes: Buffer): Promise<void> => {
  const { size } = await file.stat()
  const { bytesWritten } = await file.write(bytes)
  if (bytesWritten === bytes.length) return
  // If the file is longer, another process has appended a line since, which must be kept.
  if ((await file.stat()).size === size + bytesWritten) await file.truncate(size)
  throw new StewardError('disk_full', {
    path,
    reason: `only ${bytesWritten} of ${bytes.length} bytes were written`,
  })
}
