const HOUR_MS = 3_600_000
const BREAKFAST_HOUR = 6

export interface MorningAfter {
  /** A zone in which it is between six and seven now: no midnight falls into the test. */
  timezone: string
  /** The local day. */
  today: string
  /** Six in the evening of the day before, when Mara went home. */
  eveningMs: number
}

/** Where on earth Mara has breakfast while the test runs. */
export const findMorningAfter = (nowMs: number): MorningAfter => {
  const hour = new Date(nowMs).getUTCHours()
  const ahead = ((BREAKFAST_HOUR - hour + 36) % 24) - 12
  const localMs = nowMs + ahead * HOUR_MS
  const midnightMs = localMs - (localMs % (24 * HOUR_MS)) - ahead * HOUR_MS
  return {
    // The names of these zones count westwards.
    timezone: `Etc/GMT${ahead > 0 ? `-${ahead}` : ahead === 0 ? '' : `+${-ahead}`}`,
    today: new Date(localMs).toISOString().slice(0, 10),
    eveningMs: midnightMs - 6 * HOUR_MS,
  }
}
