import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { codeOf } from '../files/code-of.ts'
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
 * Opens the files of a log from the newest to the oldest, each once, also while someone rotates:
 * a rotation only ever moves a file to a higher number, that is, to where we have yet to look.
 */
export async function* openLogFiles(path: string): AsyncGenerator<LogFile, void, undefined> {
  const seen = new Set<string>()
  for (let number: number | undefined = 0; number !== undefined; ) {
    const file = await openLogFile(number === 0 ? path : rotatedPath(path, number), number === 0)
    if (file !== undefined && seen.has(file.inode)) {
      await file.handle.close()
    } else if (file !== undefined) {
      seen.add(file.inode)
      yield file
    }
    const after: number = number
    number = (await listRotated(path)).find((listed) => listed > after)
  }
}

const openLogFile = async (path: string, current: boolean): Promise<LogFile | undefined> => {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
  try {
    // The size comes before the fingerprint: what is known to hold a line has one.
    const { ino, size } = await handle.stat({ bigint: true })
    const fingerprint = await fingerprintOf(handle)
    return { handle, inode: ino.toString(), fingerprint, sizeBytes: Number(size), current }
  } catch (thrown) {
    await handle.close()
    throw thrown
  }
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
