import { PHASES, type Phase, type StewardEvent, type WorkState } from '@steward/contract'
import { lookOfPhase, lookOfState, TAB_STATES, type TabLook, type TabState } from '@steward/notify'
import { readEntry } from '@steward/platform'

/** The tab appearance of each session, derived from its phases and events. */
export interface TabAppearances {
  recordPhase: (sessionId: string, phase: Phase, name: string) => void
  take: (events: readonly StewardEvent[]) => void
  /** Reads the names of sessions, and shows phases that their specifications have changed. */
  recordWork: (state: WorkState) => void
}

interface Session {
  name: string
  /** The latest phase announced since the person's last prompt. */
  phase?: Phase
  shown?: Phase | TabState
}

const MOST_SESSIONS = 500
const WORK: ReadonlySet<string> = new Set(['tool_use', 'tool_failure'])
const ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop'])
const ASKING_NOTIFICATIONS: ReadonlySet<unknown> = new Set([
  'permission_prompt',
  'elicitation_dialog',
  // Gemini's.
  'ToolPermission',
])

/**
 * A phase is more specific than "working", so it stays until the next prompt; a question or an
 * error is shown instead until the session continues.
 */
export const createTabAppearances = (
  show: (sessionId: string, look: TabLook) => void,
): TabAppearances => {
  const sessions = new Map<string, Session>()
  let work: WorkState | undefined

  const sessionOf = (id: string): Session => {
    const session = sessions.get(id) ?? { name: '' }
    // Move to the end, so that the least recently active session is evicted first.
    sessions.delete(id)
    sessions.set(id, session)
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
    return session
  }
  const nameOf = (id: string): string => {
    const entry = Object.values(work?.sessions ?? {})
      .map(readEntry)
      .find(({ sessionUUID }) => sessionUUID === id)
    return entry?.sessionName ?? entry?.task ?? ''
  }
  const change = (id: string, session: Session, to: Phase | TabState): void => {
    if (session.shown === to) return
    session.shown = to
    const name = nameOf(id) || session.name
    show(id, isState(to) ? lookOfState(to, name) : lookOfPhase(to, name))
  }

  const takeOne = (event: StewardEvent): void => {
    const { session_id: id, type } = event
    // Subagent events do not change what the session waits for.
    if (id === '' || typeof event.agent_id === 'string') return
    const session = sessionOf(id)
    if (type === 'user_prompt') {
      delete session.phase
      change(id, session, 'thinking')
    } else if (WORK.has(type)) change(id, session, session.phase ?? 'working')
    else if (isQuestion(event)) change(id, session, 'question')
    else if (type === 'stop_failure') change(id, session, 'error')
    else if (ENDS.has(type)) {
      // Work in the background goes on after the turn.
      const isBusy = typeof event.background_tasks === 'number' && event.background_tasks > 0
      change(id, session, session.phase ?? (isBusy ? 'working' : 'COMPLETE'))
    }
  }

  const recordPhase = (id: string, phase: Phase, name: string): void => {
    const session = sessionOf(id)
    session.phase = phase
    session.name = name
    // Even if the phase is the same, the name may have changed.
    session.shown = phase
    show(id, lookOfPhase(phase, name))
  }

  return {
    recordPhase,
    take: (events) => {
      for (const event of events) takeOne(event)
    },
    recordWork: (state) => {
      const before = work
      work = state
      // The first state is how the daemon found the work, not a change.
      if (before === undefined || before === state) return
      for (const { sessionId, phase, name } of changedPhases(before, state)) {
        // An announced phase is shown already.
        if (sessions.get(sessionId)?.phase !== phase) recordPhase(sessionId, phase, name)
      }
    },
  }
}

/** The phases that began between two states, each in the row of its history. */
const changedPhases = (before: WorkState, after: WorkState) =>
  Object.entries(after.sessions).flatMap(([slug, entry]) => {
    if (before.sessions[slug] === entry) return []
    const { sessionUUID: sessionId, sessionName, task, phaseHistory } = readEntry(entry)
    const last = phaseHistory.at(-1)
    const phase = PHASES.find((name) => name === last?.phase.toUpperCase())
    const known = readEntry(before.sessions[slug]).phaseHistory.at(-1)
    const isNew = known?.startedAt !== last?.startedAt
    if (sessionId === undefined || phase === undefined || !isNew) return []
    return [{ sessionId, phase, name: sessionName ?? task ?? slug }]
  })

const isState = (look: Phase | TabState): look is TabState =>
  TAB_STATES.some((state) => state === look)

const isQuestion = ({ type, notification_type }: StewardEvent): boolean =>
  type === 'permission_request' ||
  (type === 'notification' && ASKING_NOTIFICATIONS.has(notification_type))
