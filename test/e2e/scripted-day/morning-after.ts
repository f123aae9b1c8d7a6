const HOUR_MS = 3_600_000
const BREAKFAST_HOUR = 6

export interface MorningAfter {
  /**
   * A time zone in which it is now between six and seven, so that no midnight falls into the test.
   */
  timezone: string
  /** The local day. */
  today: string
  /** Six in the evening of the previous day, when Mara went home. */
  eveningMs: number
}

/** Finds the time zone in which it is morning while the test runs. */
export const findMorningAfter = (nowMs: number): MorningAfter => {
  const hour = new Date(nowMs).getUTCHours()
  const ahead = ((BREAKFAST_HOUR - hour + 36) % 24) - 12
  const localMs = nowMs + ahead * HOUR_MS
  const midnightMs = localMs - (localMs % (24 * HOUR_MS)) - ahead * HOUR_MS
  return {
    // These zone names have inverted signs.
    timezone: `Etc/GMT${ahead > 0 ? `-${ahead}` : ahead === 0 ? '' : `+${-ahead}`}`,
    today: new Date(localMs).toISOString().slice(0, 10),
    eveningMs: midnightMs - 6 * HOUR_MS,
  }
}
