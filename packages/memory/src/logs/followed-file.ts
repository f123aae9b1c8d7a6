import type { FileHandle } from 'node:fs/promises'
import { createLineSplitter, type SplitLine } from './line-splitter.ts'
import { fingerprintOf, type LogFile } from './log-files.ts'
import type { FileMark } from './log-position.ts'

/** One file that a follower holds open: how far it was read, and what has changed since. */
export interface FollowedFile {
  readonly inode: string
  /** After the last whole line. */
  mark: () => FileMark
  /** Looks at the file; `emptied` when what was read is gone and it is read from its beginning again. */
  refresh: () => Promise<{ changed: boolean; emptied: boolean }>
  /** The lines in the next bytes, as of the last look; nothing when all were read. Hand the line's end to `take`. */
  readLines: (budgetBytes: number) => Promise<{ lines: SplitLine[]; bytesRead: number } | undefined>
  take: (line: SplitLine) => void
  /** Whether the last line has no end yet. */
  isTorn: () => boolean
  close: () => Promise<void>
}

const CHUNK_BYTES = 256 * 1024
const LINE_BREAK = 0x0a

export interface FollowOptions {
  maxLineBytes: number
  /** Where to begin; anywhere inside of a line, the rest of that line is left out. */
  offset: number
}

export const followFile = async (
  { handle, inode, fingerprint: firstFingerprint }: LogFile,
  { maxLineBytes, offset }: FollowOptions,
): Promise<FollowedFile> => {
  let fingerprint = firstFingerprint
  let readTo = offset
  let lineEnd = offset
  let sizeBytes = offset
  let writtenNs = -1n
  const insideLine = await isInsideLine(handle, offset)
  let splitter = createLineSplitter({ maxLineBytes, offset, insideLine })
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)

  const startAgain = (): void => {
    readTo = 0
    lineEnd = 0
    splitter = createLineSplitter({ maxLineBytes, offset: 0 })
  }

  return {
    inode,
    mark: () => ({ inode, fingerprint, offset: lineEnd }),
    refresh: async () => {
      const { size, mtimeNs } = await handle.stat({ bigint: true })
      if (Number(size) === sizeBytes && mtimeNs === writtenNs) {
        return { changed: false, emptied: false }
      }
      sizeBytes = Number(size)
      writtenNs = mtimeNs
      const found = await fingerprintOf(handle)
      const emptied = sizeBytes < readTo || (fingerprint !== '' && found !== fingerprint)
      fingerprint = found
      if (emptied) startAgain()
      return { changed: true, emptied }
    },
    readLines: async (budgetBytes) => {
      const wanted = Math.min(CHUNK_BYTES, budgetBytes, sizeBytes - readTo)
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

const isInsideLine = async (handle: FileHandle, offset: number): Promise<boolean> => {
  if (offset === 0) return false
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), { position: offset - 1 })
  return bytesRead === 1 && buffer[0] !== LINE_BREAK
}
