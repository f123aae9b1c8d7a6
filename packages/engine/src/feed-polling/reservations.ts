export interface Reservation {
  /** Subrequests that may be used now: what is left, less what others hold. */
  available: () => number
  release: () => void
}

/** Shares what is left among checks that run at the same time, so that none runs out half-way. */
export const createReservations = (remaining: () => number) => {
  let held = 0
  return {
    /** Nothing when so many are not left. */
    take: (count: number): Reservation | undefined => {
      if (remaining() - held < count) return undefined
      held += count
      const mine = { count }
      return {
        available: () => remaining() - (held - mine.count),
        release: () => {
          held -= mine.count
          mine.count = 0
        },
      }
    },
  }
}
