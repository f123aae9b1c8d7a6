import { StewardError } from '@steward/contract'

/** Limits how many sessions work at the same time. */
export interface Slots {
  /** Holds a slot, or throws `sessions_full`. The function releases it; the session counts by then. */
  take: () => () => void
  /** Holds a slot as soon as one is free; in the order of requests. */
  wait: (askedAt: number, signal: AbortSignal) => Promise<() => void>
  /** Holds a slot beyond the limit, for work that goes on. */
  force: () => () => void
  /** A session may have ended. */
  changed: () => void
}

export const createSlots = (most: () => number, countWorking: () => number): Slots => {
  let held = 0
  const waiting: Array<{ askedAt: number; give: () => void }> = []

  const hold = (): (() => void) => {
    let isHeld = true
    held += 1
    return () => {
      if (!isHeld) return
      isHeld = false
      held -= 1
      changed()
    }
  }
  const isFree = (): boolean => countWorking() + held < most()
  const changed = (): void => {
    while (waiting.length > 0 && isFree()) waiting.shift()?.give()
  }

  return {
    changed,
    force: hold,
    take: () => {
      if (isFree()) return hold()
      throw new StewardError('sessions_full', { count: countWorking() + held })
    },
    wait: (askedAt, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(entry), 1)
          reject(signal.reason)
        }
        const entry = {
          askedAt,
          give: () => {
            signal.removeEventListener('abort', onAbort)
            resolve(hold())
          },
        }
        const later = waiting.findIndex((other) => other.askedAt > askedAt)
        waiting.splice(later === -1 ? waiting.length : later, 0, entry)
        signal.addEventListener('abort', onAbort, { once: true })
        changed()
      }),
  }
}
