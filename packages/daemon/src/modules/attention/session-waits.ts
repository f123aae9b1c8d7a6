import type { AttentionKind, StewardEvent } from '@steward/contract'

/** A session that waits for the person, according to its events. */
export interface SessionWait {
  session_id: string
  host: string
  cwd: string
  reason: Exclude<AttentionKind, 'blocked'>
  /** The tool that needs a permission. */
  tool: string | null
  /** Its question, or the end of its last message. */
  detail: string
  since: string
  /** Why it must be answered in the terminal, if that is not obvious. */
  hint?: string
}

/** Sessions that wait for the person, derived from their events. */
export interface SessionWaits {
  take: (events: readonly StewardEvent[]) => void
  /** The session got its answer: it does not wait until its next question. */
  resolve: (sessionId: string) => void
  waiting: () => SessionWait[]
}

const MOST_SESSIONS = 500
/** A question without an answer for this long is dropped. */
const FORGOTTEN_MS = 12 * 3_600_000
const ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop', 'stop_failure'])
/** Tools of Claude Code whose permission request is not about an action. */
const REASON_OF_TOOL: Readonly<Record<string, SessionWait['reason']>> = {
  AskUserQuestion: 'question',
  ExitPlanMode: 'plan',
}
const REASON_OF_NOTIFICATION: Readonly<Record<string, SessionWait['reason']>> = {
  permission_prompt: 'permission',
  // Gemini's.
  ToolPermission: 'permission',
  elicitation_dialog: 'form',
  elicitation_url_dialog: 'form',
  idle_prompt: 'idle',
}
/** Notifications that report something and wait for nothing. */
const REPORTS: ReadonlySet<string> = new Set(['auth_success', 'agent_completed'])

type Waits = Pick<SessionWait, 'reason' | 'detail' | 'tool'>

interface Seen {
  /** The time of the latest relevant event. */
  atMs: number
  /** The turn that it belongs to, if its assistant names turns. */
  turn: string
  waiting?: SessionWait
}

export const createSessionWaits = (now: () => number): SessionWaits => {
  const sessions = new Map<string, Seen>()

  const takeOne = (event: StewardEvent): void => {
    const { session_id, timestamp } = event
    // Subagent events do not change what the session waits for.
    if (session_id === '' || typeof event.agent_id === 'string') return
    const before = sessions.get(session_id)
    const atMs = Date.parse(timestamp)
    // Rows do not arrive in chronological order.
    if (Number.isNaN(atMs) || (before !== undefined && atMs < before.atMs)) return
    if (before !== undefined && isLateReport(event, atMs, before)) return
    const turn = textOf(event.turn_id)
    sessions.delete(session_id)
    sessions.set(session_id, { atMs, turn, ...waitingAfter(event, before?.waiting) })
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  }

  return {
    take: (events) => {
      for (const event of events) if (isOfSession(event)) takeOne(event)
    },
    resolve: (sessionId) => {
      const seen = sessions.get(sessionId)
      if (seen !== undefined) sessions.set(sessionId, { atMs: seen.atMs, turn: seen.turn })
    },
    waiting: () => {
      const oldest = now() - FORGOTTEN_MS
      return [...sessions.values()]
        .flatMap(({ waiting }) => waiting ?? [])
        .filter(({ since }) => Date.parse(since) > oldest)
    },
  }
}

const LATE_MS = 5000

/**
 * Assistants do not wait for hooks of tool calls, so that on a busy machine the report of a call may
 * be written after the end of its turn.
 */
const isLateReport = (
  event: StewardEvent,
  atMs: number,
  { waiting, turn, ...end }: Seen,
): boolean =>
  waiting?.reason === 'done' &&
  (event.type === 'tool_use' || event.type === 'tool_failure') &&
  turn !== '' &&
  event.turn_id === turn &&
  atMs - end.atMs < LATE_MS

/** A repeated question keeps its first time, and a question takes precedence over done. */
const waitingAfter = (
  event: StewardEvent,
  before: SessionWait | undefined,
): Pick<Seen, 'waiting'> => {
  const { session_id, timestamp } = event
  if (event.type === 'notification' && REPORTS.has(textOf(event.notification_type))) {
    return before === undefined ? {} : { waiting: before }
  }
  const waits = whatFor(event)
  if (waits === undefined) return {}
  if (before !== undefined && isRepetition(before, waits)) return { waiting: before }
  // An idle session has waited since it was done, and its last message says more.
  const isLater = before?.reason === 'done' && waits.reason === 'idle'
  const { since, detail } = isLater ? before : { since: timestamp, detail: waits.detail }
  const about = { session_id, host: textOf(event.host), cwd: textOf(event.cwd) }
  return { waiting: { ...about, ...waits, since, detail } }
}

/** Claude Code reminds of a prompt with a notification that says less than the request. */
const isRepetition = (before: Waits, { reason }: Waits): boolean => {
  if (before.reason === reason) return true
  if (reason === 'permission') return before.reason === 'question' || before.reason === 'plan'
  return reason === 'done' && before.reason !== 'idle'
}

/** Announcements and subagents do not show whether the person has to act. */
const isOfSession = ({ source }: StewardEvent): boolean =>
  source === 'tool-activity' || source === 'tool-failure'

/** What a session waits for after an event; undefined if it continues or has ended. */
const whatFor = (event: StewardEvent): Waits | undefined => {
  const { type } = event
  if (type === 'permission_request') {
    const tool = textOf(event.tool_name)
    const reason = REASON_OF_TOOL[tool] ?? 'permission'
    const request = textOf(event.request) || textOf(event.tool_input_preview)
    const detail = reason === 'permission' ? [tool, request].filter(Boolean).join(': ') : request
    return { reason, detail, tool: tool || null }
  }
  if (type === 'notification') {
    const reason = REASON_OF_NOTIFICATION[textOf(event.notification_type)] ?? 'question'
    return { reason, detail: textOf(event.request) || textOf(event.message), tool: null }
  }
  if (type === 'stop_failure') {
    return { reason: 'error', detail: textOf(event.error), tool: null }
  }
  // The session goes on by itself when its background work ends.
  if (Number(event.background_tasks ?? 0) > 0) return undefined
  if (ENDS.has(type)) {
    return { reason: 'done', detail: textOf(event.message_preview), tool: null }
  }
  return undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
