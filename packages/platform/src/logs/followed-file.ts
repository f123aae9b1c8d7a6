import type { FileHandle } from 'node:fs/promises'
import { createLineSplitter, type SplitLine } from './line-splitter.ts'
import { fingerprintOf, type LogFile } from './log-files.ts'
import type { FileMark } from './log-position.ts'

/** One open file of a follower, and how far it was read. */
export interface FollowedFile {
  readonly inode: string
  /** After the last line that was returned. */
  mark: () => FileMark
  /** Checks the current size of the file; reading stops there until the next check. */
  look: () => Promise<FileLook>
  /** The lines in the next bytes; undefined if everything up to the last check was read. */
  readLines: (chunk: Buffer, budgetBytes: number) => Promise<ReadLines | undefined>
  take: (line: SplitLine) => void
  /** Whether the read part ends inside a line. */
  isTorn: () => boolean
  close: () => Promise<void>
}

interface FileLook {
  changed: boolean
  /** The file was truncated and is read from its beginning again. */
  emptied: boolean
}

interface ReadLines {
  lines: SplitLine[]
  bytesRead: number
}

export interface FollowFileOptions {
  maxLineBytes: number
  /** Where to start; the rest of a partial line is skipped. */
  offset: number
}

export const followFile = async (
  { handle, inode, fingerprint: firstFingerprint }: LogFile,
  { maxLineBytes, offset }: FollowFileOptions,
): Promise<FollowedFile> => {
  const insideLine = await isInsideLine(handle, offset)
  let splitter = createLineSplitter({ maxLineBytes, offset, insideLine })
  let fingerprint = firstFingerprint
  let readTo = offset
  let lineEnd = offset
  let sizeBytes = offset
  let writtenNs = -1n

  const startAgain = (): void => {
    readTo = 0
    lineEnd = 0
    splitter = createLineSplitter({ maxLineBytes, offset: 0 })
  }

  return {
    inode,
    mark: () => ({ inode, fingerprint, offset: lineEnd }),
    look: async () => {
      const { size, mtimeNs } = await handle.stat({ bigint: true })
      if (Number(size) === sizeBytes && mtimeNs === writtenNs) {
        return { changed: false, emptied: false }
      }
      const found = await fingerprintOf(handle)
      const emptied = Number(size) < readTo || (fingerprint !== '' && found !== fingerprint)
      sizeBytes = Number(size)
      writtenNs = mtimeNs
      fingerprint = found
      if (emptied) startAgain()
      return { changed: true, emptied }
    },
    readLines: async (chunk, budgetBytes) => {
      const wanted = Math.min(chunk.length, budgetBytes, sizeBytes - readTo)
      if (wanted <= 0) return undefined
      const { bytesRead } = await handle.read(chunk, 0, wanted, readTo)
      if (bytesRead === 0) return undefined
      readTo += bytesRead
      return { lines: splitter.push(chunk.subarray(0, bytesRead)), bytesRead }
    },
    take: ({ end }) => {
      lineEnd = end
    },
    isTorn: () => splitter.pendingBytes() > 0,
    close: () => handle.close(),
  }
}

const LINE_BREAK = 0x0a

const isInsideLine = async (handle: FileHandle, offset: number): Promise<boolean> => {
  if (offset === 0) return false
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), { position: offset - 1 })
  return bytesRead === 1 && buffer[0] !== LINE_BREAK
}
