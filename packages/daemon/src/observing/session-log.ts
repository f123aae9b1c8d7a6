import type { StewardEvent } from '@steward/contract'
import {
  createLogFollower,
  eventLogPath,
  type Home,
  LOG_START,
  type LogFollower,
  normaliseEvent,
  readTail,
} from '@steward/platform'

/** The audit log of one session. */
export interface SessionLog {
  /** Rows present at the start. */
  past: StewardEvent[]
  /** New rows since the last call. Throws `storage_failed` without losing rows. */
  read: () => Promise<StewardEvent[]>
  close: () => Promise<void>
}

/** Rows of all sessions that are searched initially in a live log. */
const RECENT_ROWS = 5000

const SOURCE = 'tool-activity'

/** Opens only the tool-activity log: observers judge actions. */
export const openSessionLog = async (
  home: Home,
  sessionId: string,
  reach: 'recent' | 'all',
): Promise<SessionLog> => {
  const path = eventLogPath(home, SOURCE)
  const recent = reach === 'all' ? undefined : await readTail(path, { rows: RECENT_ROWS })
  const follower = createLogFollower({ path, from: recent?.position ?? LOG_START })
  const ours = (rows: readonly { row: StewardEvent | Record<string, unknown> }[]) =>
    rows
      .map(({ row }) => normaliseEvent(SOURCE, row))
      .filter(({ session_id }) => session_id === sessionId)
  const read = () => readAll(follower, ours)
  try {
    const past = recent === undefined ? await read() : ours(recent.rows)
    return { past: past.toSorted(byTime), read, close: () => follower.close() }
  } catch (thrown) {
    await follower.close()
    throw thrown
  }
}

const readAll = async (
  follower: LogFollower,
  ours: (rows: Awaited<ReturnType<LogFollower['read']>>['rows']) => StewardEvent[],
): Promise<StewardEvent[]> => {
  const events: StewardEvent[] = []
  for (let more = true; more; ) {
    const read = await follower.read()
    events.push(...ours(read.rows))
    more = read.more
  }
  return events
}

/** Rows are written when hooks end, which is not chronological. */
const byTime = (a: StewardEvent, b: StewardEvent): number => {
  const [first, second] = [Date.parse(a.timestamp), Date.parse(b.timestamp)]
  return Number.isNaN(first) || Number.isNaN(second) ? 0 : first - second
}
