import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FeedList, feedList } from '@steward/contract'
import { readStateFile, withLock, writeFileAtomically } from '@steward/platform'

/** `feeds.json`: the user's list of feeds, changed by hand and by commands. */
export interface FeedsFile {
  readonly path: string
  /** Empty if there is no file; an invalid one is an error that lists the mistakes. */
  read: () => Promise<FeedList>
  /** Reads, changes and replaces the whole file; an unreadable one is left unchanged. */
  update: (change: (feeds: FeedList) => FeedList) => Promise<FeedList>
}

const LOCK_WAIT_MS = 10_000

export const createFeedsFile = (path: string, locks: string): FeedsFile => {
  const read = async (): Promise<FeedList> => {
    const found = await readStateFile(path, feedList, [])
    if (found.ok) return found.value
    throw found.error
  }
  return {
    path,
    read,
    update: async (change) => {
      mkdirSync(locks, { recursive: true })
      return withLock(
        join(locks, 'feeds-file'),
        async () => {
          const before = await read()
          const after = feedList.parse(change(before))
          await writeFileAtomically(path, `${JSON.stringify(after, null, 2)}\n`)
          return after
        },
        { waitMs: LOCK_WAIT_MS },
      )
    },
  }
}
