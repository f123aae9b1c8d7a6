import { constants, createWriteStream, lstatSync, readdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { isLog } from './backup-scope.ts'

export interface OpenedFile {
  /** Relative to the data home. */
  path: string
  handle: FileHandle
}

/** Fails if the file has become a symbolic link since it was listed. */
export const openHomeFile = async (root: string, path: string): Promise<OpenedFile> => ({
  path,
  handle: await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW),
})

const ATTEMPTS = 50

/**
 * Opens all logs of a folder together. A rotation renames them, so one that happened in between
 * would make the copies miss a file or contain one twice; then they are opened again.
 */
export const openLogs = async (root: string, folder: string): Promise<OpenedFile[]> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const names = listLogs(root, folder)
    const opened: OpenedFile[] = []
    try {
      for (const name of names) opened.push(await openHomeFile(root, `${folder}/${name}`))
      if (await isUnmoved(root, folder, opened)) return opened
    } catch (thrown) {
      await closeAll(opened)
      if (!isMissing(thrown)) throw thrown
      continue
    }
    await closeAll(opened)
  }
  const reason = 'its logs are rotated too often to be copied'
  throw new StewardError('storage_failed', { path: join(root, folder), reason })
}

const isUnmoved = async (
  root: string,
  folder: string,
  opened: readonly OpenedFile[],
): Promise<boolean> => {
  if (listLogs(root, folder).length !== opened.length) return false
  for (const { path, handle } of opened) {
    const now = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (now?.ino !== (await handle.stat()).ino) return false
  }
  return true
}

const listLogs = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && isLog(entry.name))
    .map(({ name }) => name)
    .sort()

const closeAll = async (opened: readonly OpenedFile[]): Promise<void> => {
  for (const { handle } of opened) await handle.close()
}

const MAX_IN_MEMORY_BYTES = 8 * 1024 ** 2
const LINE_BREAK = 0x0a

/** Content whose size does not change any more: in memory, or in the file `copy`. */
export type StableContent = { bytes: number; whole: Buffer } | { bytes: number; copy: true }

/** With `lines`, what stands after the last line break is left out: someone is still writing it. */
export const readStable = async (
  handle: FileHandle,
  { lines, copy }: { lines: boolean; copy: string },
): Promise<StableContent> => {
  const { size } = await handle.stat()
  if (size <= MAX_IN_MEMORY_BYTES) {
    const whole = await readUpTo(handle, size)
    const kept = lines ? whole.subarray(0, whole.lastIndexOf(LINE_BREAK) + 1) : whole
    return { bytes: kept.length, whole: kept }
  }
  const end = lines ? await endOfLastLine(handle, size) : size
  const source = handle.createReadStream({ start: 0, end: end - 1, autoClose: false })
  const target = createWriteStream(copy, { flags: 'wx', mode: 0o600 })
  await pipeline(source, target)
  return { bytes: target.bytesWritten, copy: true }
}

const readUpTo = async (handle: FileHandle, size: number): Promise<Buffer> => {
  const whole = Buffer.alloc(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(whole, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return whole.subarray(0, filled)
}

const endOfLastLine = async (handle: FileHandle, size: number): Promise<number> => {
  const block = Buffer.alloc(64 * 1024)
  for (let end = size; end > 0; end -= block.length) {
    const start = Math.max(0, end - block.length)
    const { bytesRead } = await handle.read(block, 0, end - start, start)
    const found = block.subarray(0, bytesRead).lastIndexOf(LINE_BREAK)
    if (found >= 0) return start + found + 1
  }
  return 0
}
