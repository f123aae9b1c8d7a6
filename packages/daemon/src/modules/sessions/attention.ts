import type { StewardEvent, WaitingSession } from '@steward/contract'

/** Sessions that wait for the person, derived from their events. */
export interface Attention {
  take: (events: readonly StewardEvent[]) => void
  /** Longest waiting first, with questions before finished sessions. */
  waiting: () => WaitingSession[]
}

const MOST_SESSIONS = 500
/** A question without an answer for this long is dropped. */
const FORGOTTEN_MS = 12 * 3_600_000
const ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop', 'stop_failure'])
const ASKS: ReadonlySet<unknown> = new Set(['permission_prompt', 'elicitation_dialog'])

type Waits = Pick<WaitingSession, 'reason' | 'detail'>

interface Seen {
  /** The time of the latest relevant event. */
  atMs: number
  waiting?: WaitingSession
}

export const createAttention = (now: () => number): Attention => {
  const sessions = new Map<string, Seen>()

  const takeOne = (event: StewardEvent): void => {
    const { session_id, timestamp } = event
    // Subagent events do not change what the session waits for.
    if (session_id === '' || typeof event.agent_id === 'string') return
    const before = sessions.get(session_id)
    const atMs = Date.parse(timestamp)
    // Rows do not arrive in chronological order.
    if (Number.isNaN(atMs) || (before !== undefined && atMs < before.atMs)) return
    sessions.delete(session_id)
    sessions.set(session_id, { atMs, ...waitingAfter(event, before?.waiting) })
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  }

  return {
    take: (events) => {
      for (const event of events) if (isOfSession(event)) takeOne(event)
    },
    waiting: () => {
      const oldest = now() - FORGOTTEN_MS
      return [...sessions.values()]
        .flatMap(({ waiting }) => waiting ?? [])
        .filter(({ since }) => Date.parse(since) > oldest)
        .sort(
          (one, other) =>
            ORDER[one.reason] - ORDER[other.reason] || compare(one.since, other.since),
        )
    },
  }
}

/** A repeated question keeps its first time, and a question takes precedence over done. */
const waitingAfter = (
  event: StewardEvent,
  before: WaitingSession | undefined,
): Pick<Seen, 'waiting'> => {
  const waits = whatFor(event)
  if (waits === undefined) return {}
  if (before !== undefined && (before.reason === waits.reason || waits.reason === 'done')) {
    return { waiting: before }
  }
  const { session_id, timestamp } = event
  return { waiting: { session_id, since: timestamp, host: textOf(event.host), ...waits } }
}

const ORDER = { permission: 0, question: 1, error: 2, done: 3 } as const

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Announcements and subagents do not show whether the person has to act. */
const isOfSession = ({ source }: StewardEvent): boolean =>
  source === 'tool-activity' || source === 'tool-failure'

/** What a session waits for after an event; undefined if it continues or has ended. */
const whatFor = (event: StewardEvent): Waits | undefined => {
  const { type, notification_type } = event
  if (type === 'permission_request') {
    const tool = textOf(event.tool_name)
    return {
      reason: 'permission',
      detail: [tool, textOf(event.tool_input_preview)].filter(Boolean).join(': '),
    }
  }
  if (type === 'notification') {
    if (ASKS.has(notification_type)) return { reason: 'permission', detail: textOf(event.message) }
    return { reason: 'question', detail: textOf(event.message) }
  }
  if (type === 'stop_failure') return { reason: 'error', detail: textOf(event.error) }
  if (ENDS.has(type)) return { reason: 'done', detail: textOf(event.message_preview) }
  return undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
