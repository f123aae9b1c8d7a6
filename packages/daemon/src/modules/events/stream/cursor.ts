import { EVENT_SOURCE_NAMES, type EventSource } from '@steward/contract'
import { LOG_START, type LogPosition } from '@steward/platform'

/** The position of a stream client in each source's log and in the pushed events. */
export interface Cursor {
  positions: Readonly<Record<EventSource, LogPosition>>
  /** The position of the last pushed event. */
  pushed: number
}

export const START_CURSOR: Cursor = {
  positions: {
    'tool-activity': LOG_START,
    'tool-failure': LOG_START,
    voice: LOG_START,
    subagent: LOG_START,
  },
  pushed: 0,
}

const VERSION = '1'
const POSITION = /^[0-9a-z.:,]{1,400}$/

/** The id of a server-sent event; valid across restarts and rotation. */
export const formatCursor = ({ positions, pushed }: Cursor): string =>
  [VERSION, ...EVENT_SOURCE_NAMES.map((source) => positions[source]), pushed].join(';')

/** Undefined for a foreign id. */
export const parseCursor = (text: string): Cursor | undefined => {
  const [version, activity, failure, voice, subagent, pushed, ...rest] = text.split(';')
  const places = [activity, failure, voice, subagent]
  if (version !== VERSION || rest.length > 0 || !/^\d{1,15}$/.test(pushed ?? '')) return undefined
  if (!places.every((place) => place !== undefined && POSITION.test(place))) return undefined
  return {
    positions: {
      'tool-activity': activity ?? '',
      'tool-failure': failure ?? '',
      voice: voice ?? '',
      subagent: subagent ?? '',
    },
    pushed: Number(pushed),
  }
}

export const moveCursor = (cursor: Cursor, source: EventSource, position: LogPosition): Cursor => ({
  ...cursor,
  positions: { ...cursor.positions, [source]: position },
})
