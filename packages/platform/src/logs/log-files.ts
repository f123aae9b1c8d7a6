import { type FileHandle, open, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { isMissing } from '../error-code.ts'
import { storageErrorOf } from '../storage-error.ts'
import { listRotated, rotatedPath } from './rotated-files.ts'

/** One open file of a log. The caller closes it. */
export interface LogFile {
  handle: FileHandle
  inode: string
  fingerprint: string
  /** Its size when it was opened. */
  sizeBytes: number
  /** Whether it is the log itself, not a rotated file. */
  current: boolean
}

/**
 * Opens the files of a log, newest first, up to and including the one that `isLast`, even during a
 * rotation. A rotation only moves a file to a higher number, which we read later: no file is
 * missed, and a file that newer ones have overtaken is seen again and moved behind them.
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

/** The inode at `path`; undefined if missing. */
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
    // The size is read before the fingerprint, so that a file known to contain a line has one.
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
 * Distinguishes a file from a later one with the same inode, and from itself after truncation: a
 * checksum of the beginning of its first line. Empty until that line is complete.
 */
export const fingerprintOf = async (handle: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(FINGERPRINT_BYTES), {
    position: 0,
  })
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK)
  if (end === -1 && bytesRead < FINGERPRINT_BYTES) return ''
  return crc32(buffer.subarray(0, end === -1 ? bytesRead : end)).toString(36)
}
