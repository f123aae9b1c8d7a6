import { isJsonObject, type StewardEvent, type WorkState } from '@steward/contract'

export type Pushed = 'events' | 'state'

/** The parts to push and the delay. */
export interface PushRequest {
  what: readonly Pushed[]
  delayMs: number
}

/** Spec 2, Events, push timing. */
const TOOL_CALL: PushRequest = { what: ['events'], delayMs: 200 }
const STATE_WRITE: PushRequest = { what: ['state'], delayMs: 300 }
const SESSION_EDGE: PushRequest = { what: ['events', 'state'], delayMs: 500 }

const SESSION_TYPE = /^session[._-]?(start|end)(ed)?$/i

/** New rows push events; a session's start or end also pushes the work state. */
export const requestForEvents = (events: readonly StewardEvent[]): PushRequest[] => [
  TOOL_CALL,
  ...(events.some(({ type }) => SESSION_TYPE.test(type)) ? [SESSION_EDGE] : []),
]

/** A changed work state is pushed; a new or completed session also pushes events. */
export const requestForState = (before: WorkState | undefined, after: WorkState): PushRequest[] => {
  const former = new Map(Object.entries(before?.sessions ?? {}))
  const edge = Object.entries(after.sessions).some(([slug, entry]) => {
    const known = former.get(slug)
    return known === undefined || (isComplete(entry) && !isComplete(known))
  })
  const gone = [...former.keys()].some((slug) => !Object.hasOwn(after.sessions, slug))
  return edge || gone ? [STATE_WRITE, SESSION_EDGE] : [STATE_WRITE]
}

/** A newly configured target gets everything, with the delay of a tool call. */
export const FIRST_PUSH: PushRequest = { what: ['events', 'state'], delayMs: TOOL_CALL.delayMs }

const isComplete = (entry: unknown): boolean =>
  isJsonObject(entry) && typeof entry.phase === 'string' && entry.phase.toLowerCase() === 'complete'
