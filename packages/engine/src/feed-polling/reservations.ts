export interface Reservation {
  /** Subrequests that may be used now: the rest minus other reservations. */
  available: () => number
  release: () => void
}

/** Shares the remaining subrequests among concurrent checks, so that none runs out half-way. */
export const createReservations = (remaining: () => number) => {
  let held = 0
  return {
    /** `undefined` if fewer than `count` are left. */
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
