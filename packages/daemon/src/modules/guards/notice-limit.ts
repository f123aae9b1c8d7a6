import { isPending } from '@steward/contract'

/** Whether a notice may be sent now; the same key is limited for a while. */
export type NoticeLimit = (key: string) => boolean

const AGAIN_MS = 60_000
const MOST_KEYS = 500

/** An assistant that retries repeatedly must not trigger a notification each time. */
export const createNoticeLimit = (now: () => number): NoticeLimit => {
  const told = new Map<string, number>()
  return (key) => {
    const last = told.get(key)
    if (last !== undefined && isPending(last + AGAIN_MS, now(), AGAIN_MS)) return false
    told.delete(key)
    told.set(key, now())
    for (const oldest of told.keys()) {
      if (told.size <= MOST_KEYS) break
      told.delete(oldest)
    }
    return true
  }
}
