/** Remembers the last so many keys, so that what was written before is not written again. */
export interface RecentKeys {
  has: (key: string) => boolean
  add: (key: string) => void
}

const MOST_KEYS = 1000

export const createRecentKeys = (known: Iterable<string> = []): RecentKeys => {
  const keys = new Set(known)
  return {
    has: (key) => keys.has(key),
    add: (key) => {
      keys.add(key)
      for (const oldest of keys) {
        if (keys.size <= MOST_KEYS) break
        keys.delete(oldest)
      }
    },
  }
}
