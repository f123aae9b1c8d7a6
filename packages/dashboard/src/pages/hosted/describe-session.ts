import type { HostedEntry, HostedListRow, SessionRow } from '@steward/contract'

export interface Standing {
  word: string
  tone: 'neutral' | 'good' | 'warn' | 'bad' | 'info'
}

const IDLE: Readonly<Record<NonNullable<SessionRow['stopReason']>, Standing>> = {
  end_turn: { word: 'done', tone: 'good' },
  requires_action: { word: 'waits', tone: 'warn' },
  retries_exhausted: { word: 'gave up', tone: 'bad' },
  budget_reached: { word: 'budget used up', tone: 'warn' },
  refusal: { word: 'refused', tone: 'bad' },
}

type Stood = Pick<SessionRow, 'status' | 'stopReason' | 'waiting' | 'archivedAt'>

/** Whether a person must approve or refuse. */
const waitsForYou = ({ waiting }: Pick<SessionRow, 'waiting'>): boolean =>
  waiting.some(({ needs }) => needs === 'permission')

/** The state of a session in one word. */
export const describeStanding = (session: Stood): Standing => {
  if (session.archivedAt !== null) return { word: 'archived', tone: 'neutral' }
  if (waitsForYou(session)) return { word: 'waits for you', tone: 'warn' }
  switch (session.status) {
    case 'running':
      return { word: 'running', tone: 'info' }
    case 'rescheduling':
      return { word: 'tries again soon', tone: 'warn' }
    case 'terminated':
      return { word: 'ended', tone: 'neutral' }
    default:
      return session.stopReason === null
        ? { word: 'ready', tone: 'neutral' }
        : IDLE[session.stopReason]
  }
}

const rankOf = (session: HostedListRow): number => {
  if (waitsForYou(session)) return 0
  if (session.waiting.length > 0) return 1
  return session.status === 'running' || session.status === 'rescheduling' ? 2 : 3
}

/** Sessions that wait for a person first, then running ones, then the rest; each newest first. */
export const orderSessions = (sessions: readonly HostedListRow[]): HostedListRow[] =>
  sessions.toSorted((one, other) => rankOf(one) - rankOf(other))

/** Its title, or its agent. */
export const nameSession = ({ title, agent }: Pick<SessionRow, 'title' | 'agent'>): string =>
  title === null || title.trim() === '' ? `A session of ${agent.name}` : title

/** The last event, in one line. */
export const describeLast = (entry: HostedEntry): string => {
  switch (entry.kind) {
    case 'message':
      return entry.by === 'agent' ? entry.text : `${entry.by}: ${entry.text}`
    case 'call':
      return `${entry.tool} ${entry.input}`
    case 'answer':
      return entry.allowed ? 'You allowed it' : 'You refused it'
    case 'asking':
    case 'model':
    case 'status':
      return entry.type
    default:
      return entry.text
  }
}
