import type { Announcement, StewardEvent } from '@steward/contract'
import { findCompletionLine, type Notifier } from '@steward/notify'

/** Rows that start and end a session's task. */
const TASK_BEGINS = 'user_prompt'
/** Our hook writes the first name, others use Claude Code's. */
const TASK_ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop'])
const TASK_FAILS = 'stop_failure'
const SESSION_ENDS = 'session_end'
const AGENT_BEGINS = 'subagent_start'
const BACKGROUND_BEGINS = 'subagent_spawned_async'
const AGENT_ENDS = 'subagent_stop'

const MOST_AGENTS = 1000
const MOST_SESSIONS = 500

/** The stop of an agent that started longer ago was lost. */
const LONGEST_AGENT_MS = 3_600_000

export interface SessionEvents {
  take: (events: readonly StewardEvent[]) => void
}

interface SessionEventPorts {
  /** Never fails: storage problems are reported in its own health. */
  notifier: Pick<
    Notifier,
    'recordTaskStart' | 'notifyTaskComplete' | 'notifyBackgroundAgent' | 'notifyError'
  >
  /** Never fails either. */
  speak: (announcement: Announcement) => void
  /** The assistant's name; its completion line may start with it. */
  speaker: () => string | undefined
  now: () => number
}

interface Session {
  /** When each running agent started, by id. */
  agents: Map<string, number>
  /** The end of a turn whose agents still run. */
  ended?: StewardEvent
}

/**
 * Sends notifications for event rows: a finished session, a failed one, a finished background
 * agent. A session is finished when its turn is over and nothing runs in the background.
 */
export const createSessionEvents = (ports: SessionEventPorts): SessionEvents => {
  const { notifier, speak, speaker, now } = ports
  /**
   * Ids of background agents, because their end row does not say that they ran in the background.
   */
  const inBackground = new Set<string>()
  const sessions = new Map<string, Session>()

  const takeOne = (event: StewardEvent): void => {
    const { session_id: sessionId, type } = event
    if (sessionId === '') return
    if (type === TASK_BEGINS) {
      delete sessions.get(sessionId)?.ended
      void notifier.recordTaskStart(sessionId)
    }
    if (TASK_ENDS.has(type) && !isSubagent(event)) endTurn(event)
    if (type === TASK_FAILS) {
      const message = `The session stopped: ${textOf(event.error) ?? 'no reason given'}`
      void notifier.notifyError(message, { sessionId })
      speak({ message, kind: 'error', session_id: sessionId })
    }
    if (type === SESSION_ENDS) sessions.delete(sessionId)
    if (type === AGENT_BEGINS) startAgent(event)
    if (startsInBackground(event)) remember(idsOf(event))
    if (type === AGENT_ENDS) endAgent(event, sessionId)
  }

  const sessionOf = (id: string): Session => {
    const session = sessions.get(id) ?? { agents: new Map() }
    sessions.delete(id)
    sessions.set(id, session)
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
    return session
  }
  const startAgent = (event: StewardEvent): void => {
    const id = textOf(event.subagent_id) ?? textOf(event.agent_id)
    if (id !== undefined) sessionOf(event.session_id).agents.set(id, now())
  }
  const hasRunningAgent = ({ agents }: Session): boolean =>
    [...agents.values()].some((startedMs) => now() - startedMs < LONGEST_AGENT_MS)

  const endTurn = (event: StewardEvent): void => {
    const session = sessionOf(event.session_id)
    const { background_tasks: tasks } = event
    // Claude Code lists what runs on, and continues the session when it ends.
    if (typeof tasks === 'number') {
      if (tasks === 0) void end(event, false)
    } else if (hasRunningAgent(session)) session.ended = event
    else void end(event, false)
  }

  /** The hook has spoken the line of its row, unless agents were still running. */
  const end = async (event: StewardEvent, isLate: boolean): Promise<void> => {
    const { session_id: sessionId } = event
    const message = describeEnd(event, speaker())
    const { kind } = await notifier.notifyTaskComplete(message, { sessionId })
    const wasSpoken = !isLate && textOf(event.spoken_line) !== undefined
    if (wasSpoken || (kind !== 'longTask' && !isLate)) return
    speak({ message, kind: kind ?? 'taskComplete', session_id: sessionId })
  }

  const remember = (ids: readonly string[]): void => {
    for (const id of ids) inBackground.add(id)
    for (const oldest of inBackground) {
      if (inBackground.size <= MOST_AGENTS) break
      inBackground.delete(oldest)
    }
  }

  const endAgent = (event: StewardEvent, sessionId: string): void => {
    const ids = idsOf(event)
    const wasInBackground = ids.some((id) => inBackground.has(id))
    for (const id of ids) inBackground.delete(id)
    endLast(event)
    if (!wasInBackground) return
    const agent = textOf(event.subagent_type) ?? textOf(event.agent_type) ?? 'agent'
    const what = textOf(event.description)
    void notifier.notifyBackgroundAgent(
      agent,
      what === undefined ? 'It has finished.' : `Finished: ${what}`,
      {
        sessionId,
      },
    )
  }

  /** With the last agent ends a session whose turn is over. */
  const endLast = (event: StewardEvent): void => {
    const session = sessions.get(event.session_id)
    const id = textOf(event.subagent_id) ?? textOf(event.agent_id)
    if (session === undefined || id === undefined) return
    session.agents.delete(id)
    const { ended } = session
    if (ended === undefined || hasRunningAgent(session)) return
    delete session.ended
    void end(ended, true)
  }

  return {
    take: (events) => {
      for (const event of events) takeOne(event)
    },
  }
}

const startsInBackground = (event: StewardEvent): boolean =>
  event.type === BACKGROUND_BEGINS ||
  (event.type === AGENT_BEGINS && event.run_in_background === true)

const isSubagent = (event: StewardEvent): boolean => textOf(event.agent_id) !== undefined

const idsOf = (event: StewardEvent): string[] =>
  [event.subagent_id, event.agent_id, event.tool_use_id].flatMap((id) => {
    const text = textOf(id)
    return text === undefined ? [] : [`${event.session_id}\n${text}`]
  })

const SHOWN_CHARS = 200

/** The spoken line of the last message if the row has one, or else the beginning of the message. */
const describeEnd = (event: StewardEvent, speaker: string | undefined): string => {
  const spoken = textOf(event.spoken_line)
  if (spoken !== undefined) return spoken
  const text = textOf(event.last_assistant_message) ?? textOf(event.message_preview) ?? ''
  const found = findCompletionLine({ text, ...(speaker === undefined ? {} : { speaker }) })
  if ('line' in found) return found.line
  const [first = ''] = text.trim().split(/[\r\n]+/)
  return first === '' ? 'The assistant has finished.' : [...first].slice(0, SHOWN_CHARS).join('')
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
