import { type FileHandle, open, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isMissing } from '../error-code.ts'
import { storageErrorOf } from '../storage-error.ts'
import { listRotated, rotatedPath } from './rotated-files.ts'

/** One opened file of a log. Whoever got it closes it. */
export interface LogFile {
  handle: FileHandle
  inode: string
  fingerprint: string
  /** When it was opened. */
  sizeBytes: number
  /** Whether it is the log itself and not a rotated file. */
  current: boolean
}

/**
 * Opens the files of a log, newest first, up to and with the one that `isLast`, also while someone
 * rotates. A rotation only ever moves a file to a higher number, where we have yet to look: none is
 * missed, and a file that newer ones have overtaken is met again and put behind them.
 */
export const openLogFiles = async (
  path: string,
  isLast: (file: LogFile, count: number) => boolean = () => false,
): Promise<LogFile[]> => {
  const files: LogFile[] = []
  try {
    for (let number: number | undefined = 0; number !== undefined; ) {
      const file = await openLogFile(number === 0 ? path : rotatedPath(path, number), number === 0)
      if (file !== undefined) {
        const index = files.findIndex((other) => other.inode === file.inode)
        const [met] = index === -1 ? [] : files.splice(index, 1)
        await met?.handle.close()
        files.push(file)
        if (isLast(file, files.length)) return files
      }
      const after: number = number
      number = (await listRotated(path)).find((listed) => listed > after)
    }
  } catch (thrown) {
    await closeAll(files)
    throw thrown
  }
  return files
}

/** The inode of what is at `path` now; nothing when nothing is. */
export const inodeOf = async (path: string): Promise<string | undefined> => {
  try {
    return (await stat(path, { bigint: true })).ino.toString()
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

const openLogFile = async (path: string, current: boolean): Promise<LogFile | undefined> => {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
  try {
    // The size comes before the fingerprint: what is known to hold a line has one.
    const { ino, size } = await handle.stat({ bigint: true })
    const fingerprint = await fingerprintOf(handle)
    return { handle, inode: ino.toString(), fingerprint, sizeBytes: Number(size), current }
  } catch (thrown) {
    await handle.close()
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}

export const closeAll = async (files: readonly LogFile[]): Promise<void> => {
  await Promise.all(files.map(({ handle }) => handle.close()))
}

const FINGERPRINT_BYTES = 256
const LINE_BREAK = 0x0a

/**
 * What tells a file from another that got its inode later, and from itself after it was emptied and
 * written anew: a checksum of the first line's beginning. Empty while that line is not complete.
 */
export const fingerprintOf = async (handle: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(FINGERPRINT_BYTES), {
    position: 0,
  })
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK)
  if (end === -1 && bytesRead < FINGERPRINT_BYTES) return ''
  return crc32(buffer.subarray(0, end === -1 ? bytesRead : end)).toString(36)
}
