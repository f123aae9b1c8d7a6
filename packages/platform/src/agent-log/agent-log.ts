import type { EventSource, StewardEvent } from '@steward/contract'
import { instantOf } from '../events/event-instant.ts'
import { eventLogPath } from '../events/event-log-path.ts'
import { normaliseEvent } from '../events/normalise-event.ts'
import type { Home } from '../home/home.ts'
import { createLogFollower, type LogFollower } from '../logs/follow-log.ts'
import { readTail } from '../logs/read-tail.ts'

/** The logs of agent activity, and how many rows of each are read initially. */
const RECENT_ROWS = {
  subagent: 500,
  'tool-activity': 1000,
  'tool-failure': 200,
} as const satisfies Partial<Record<EventSource, number>>
const SOURCES = ['subagent', 'tool-activity', 'tool-failure'] as const

export interface RecentAgentEvents {
  events: StewardEvent[]
  /** Epoch ms; earlier tool calls exist but were not read. */
  knownSince?: number
}

/** The latest rows about agents and their tool calls; a bounded read independent of log size. */
export const readRecentAgentEvents = async (home: Pick<Home, 'root'>): Promise<RecentAgentEvents> =>
  (await readRecent(home)).recent

/** Follows the same logs. */
export interface AgentLog {
  recent: RecentAgentEvents
  /** New rows since the last call. Throws `storage_failed` without losing rows. */
  read: () => Promise<StewardEvent[]>
  close: () => Promise<void>
}

export const followAgentLog = async (home: Pick<Home, 'root'>): Promise<AgentLog> => {
  const { recent, followers } = await readRecent(home)
  return {
    recent,
    read: async () => {
      const events: StewardEvent[] = []
      for (const { source, follower } of followers) {
        for (let more = true; more; ) {
          const read = await follower.read()
          events.push(...read.rows.map(({ row }) => normaliseEvent(source, row)))
          more = read.more
        }
      }
      return events
    },
    close: async () => {
      await Promise.all(followers.map(({ follower }) => follower.close()))
    },
  }
}

/** A follower opens no file before its first read. */
const readRecent = async (home: Pick<Home, 'root'>) => {
  const events: StewardEvent[] = []
  const followers: Array<{ source: EventSource; follower: LogFollower }> = []
  let knownSince: number | undefined
  for (const source of SOURCES) {
    const path = eventLogPath(home, source)
    const wanted = RECENT_ROWS[source]
    const { rows, position } = await readTail(path, { rows: wanted })
    const found = rows.map(({ row }) => normaliseEvent(source, row))
    events.push(...found)
    if (source === 'tool-activity' && rows.length >= wanted) knownSince = oldestOf(found)
    followers.push({ source, follower: createLogFollower({ path, from: position }) })
  }
  const recent = { events, ...(knownSince === undefined ? {} : { knownSince }) }
  return { recent, followers }
}

const oldestOf = (events: readonly StewardEvent[]): number | undefined =>
  events
    .flatMap(({ timestamp }) => instantOf(timestamp) ?? [])
    .reduce<number | undefined>((oldest, at) => Math.min(oldest ?? at, at), undefined)
