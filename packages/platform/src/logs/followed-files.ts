import { type FollowedFile, followFile } from './followed-file.ts'
import { closeAll, inodeOf, type LogFile, openLogFiles } from './log-files.ts'
import type { FileMark } from './log-position.ts'
import { rotatedPath } from './rotated-files.ts'

/**
 * The files of a log that a follower reads: the log itself, and recently rotated or unread ones.
 */
export interface FollowedFiles {
  /** Oldest first. */
  list: () => readonly FollowedFile[]
  /**
   * Opens the files from `marks` (newest first) on. False if the newest mark's file was removed.
   */
  openAt: (marks: readonly FileMark[]) => Promise<boolean>
  /** Opens files that became the log since. False if files may have come and gone unseen. */
  noticeRotation: () => Promise<boolean>
  /** Checks all files. Returns the numbers of truncated and torn ones. */
  look: () => Promise<{ emptied: number; torn: number }>
  /** Closes rotated files without a writer. Returns how many end in a torn line. */
  dropQuiet: () => Promise<number>
  close: () => Promise<void>
}

export interface FollowedFilesOptions {
  path: string
  maxLineBytes: number
  now: () => number
}

/** How long a rotated file must be idle before no writer is expected to have it open. */
const LATE_MS = 30_000
/** The most rotated files that are watched for late rows. */
const LATE_FILES = 16
/** Closed files that are still remembered, so that they do not count as new. */
const DONE_FILES = 64

export const createFollowedFiles = ({
  path,
  maxLineBytes,
  now,
}: FollowedFilesOptions): FollowedFiles => {
  const entries: Array<{ file: FollowedFile; quietSinceMs: number }> = []
  const done = new Map<string, number>()

  const follow = async (file: LogFile, offset: number): Promise<void> => {
    const followed = await followFile(file, { maxLineBytes, offset })
    entries.push({ file: followed, quietSinceMs: now() })
  }

  const setDone = (mark: FileMark): void => {
    done.set(idOf(mark), mark.offset)
    const [oldest] = done.keys()
    if (done.size > DONE_FILES && oldest !== undefined) done.delete(oldest)
  }

  /** Oldest first; if it fails, the remaining ones are closed. */
  const followAll = async (
    files: readonly LogFile[],
    offsetOf: (file: LogFile) => number,
  ): Promise<void> => {
    const waiting = [...files]
    try {
      for (let file = waiting.at(-1); file !== undefined; file = waiting.at(-1)) {
        await follow(file, offsetOf(file))
        waiting.pop()
      }
    } catch (thrown) {
      await closeAll(waiting)
      throw thrown
    }
  }

  const openAt = async (marks: readonly FileMark[]): Promise<boolean> => {
    const chain = await openLogFiles(path)
    const markOf = (file: LogFile) => marks.find((mark) => isSame(mark, file))
    const oldestMarked = chain.findLastIndex((file) => markOf(file) !== undefined)
    const known = oldestMarked === -1 ? [] : chain.splice(oldestMarked + 1)
    for (const file of known) setDone({ ...file, offset: file.sizeBytes })
    await closeAll(known)
    const [newest] = marks
    const found = newest === undefined || chain.some((file) => isSame(newest, file))
    await followAll(chain, (file) => markOf(file)?.offset ?? 0)
    return found
  }

  const noticeRotation = async (): Promise<boolean> => {
    const newest = entries.at(-1)
    // Between a rotation and the next row there is no log, and the newest file is the first rotated
    // one.
    const inode = (await inodeOf(path)) ?? (await inodeOf(rotatedPath(path, 1)))
    if (inode === undefined || inode === newest?.file.inode) return true
    const isFollowed = (file: LogFile) => entries.some((entry) => entry.file.inode === file.inode)
    const isKnown = (file: LogFile) => isFollowed(file) || (!file.current && done.has(idOf(file)))
    const chain = await openLogFiles(path, isKnown)
    const last = chain.at(-1)
    const reached = last !== undefined && isKnown(last) ? chain.pop() : undefined
    await reached?.handle.close()
    // A rotated file was moved back: it is the newest again.
    if (reached?.current === true) moveToEnd(reached.inode)
    await followAll(chain, (file) => done.get(idOf(file)) ?? 0)
    return newest === undefined || reached?.inode === newest.file.inode
  }

  const moveToEnd = (inode: string): void => {
    const index = entries.findIndex(({ file }) => file.inode === inode)
    if (index !== -1) entries.push(...entries.splice(index, 1))
  }

  return {
    list: () => entries.map(({ file }) => file),
    openAt,
    noticeRotation,
    look: async () => {
      const outcome = { emptied: 0, torn: 0 }
      // From newest to oldest: a writer that moved from an older to a newer file is then never seen
      // in the newer one alone, and each writer's rows keep their order.
      for (const entry of entries.toReversed()) {
        const wasTorn = entry.file.isTorn()
        const { changed, emptied } = await entry.file.look()
        if (changed) entry.quietSinceMs = now()
        if (!emptied) continue
        outcome.emptied++
        if (wasTorn) outcome.torn++
      }
      return outcome
    },
    dropQuiet: async () => {
      let torn = 0
      while (entries.length > 1) {
        const [oldest] = entries
        if (oldest === undefined) break
        const isQuiet = now() - oldest.quietSinceMs >= LATE_MS
        if (!isQuiet && entries.length <= LATE_FILES + 1) break
        entries.shift()
        setDone(oldest.file.mark())
        if (oldest.file.isTorn()) torn++
        await oldest.file.close()
      }
      return torn
    },
    close: async () => {
      await Promise.all(entries.splice(0).map(({ file }) => file.close()))
    },
  }
}

const idOf = ({ inode, fingerprint }: Pick<FileMark, 'inode' | 'fingerprint'>): string =>
  `${inode}.${fingerprint}`

/** A file that was empty when marked had no fingerprint yet. */
const isSame = (mark: FileMark, file: LogFile): boolean =>
  mark.inode === file.inode && (mark.fingerprint === '' || mark.fingerprint === file.fingerprint)
