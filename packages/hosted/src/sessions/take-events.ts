import { type ClientEvent, HOSTED_LIMITS, type OutcomeEvaluation } from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import type { NewEvent, StoredEvent } from '../database/stored-event.ts'
import type { Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { appendEvents } from '../log/append-events.ts'
import { type StoredSession, writeSessionBody } from '../log/stored-session.ts'
import { findThreads, type Route } from './find-threads.ts'

/** Appends clients' validated events in order and wakes the session and the threads that they are for. */
export function* takeEvents(
  session: StoredSession,
  events: readonly ClientEvent[],
  nowMs: number,
): Tx<readonly StoredEvent[]> {
  const routes: Route[] = []
  for (const event of events) routes.push(yield* findThreads(session, event))
  const added = events.map((event, index) => toNewEvent(event, routes[index]?.named ?? null))
  const outcomes = added.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
  if (outcomes.length > 0) {
    const { body } = session
    const outcome_evaluations = [...body.outcome_evaluations, ...outcomes]
    yield* writeSessionBody(session.id, { ...body, outcome_evaluations }, nowMs)
  }
  const stored = yield* appendEvents(
    session.id,
    // The session only shows what is for another thread.
    added.map(({ event }, index) => (routes[index]?.own ? event : { ...event, queued: false })),
    { nowMs, wakes: true },
  )
  for (const [index, { event }] of added.entries()) refuseOtherAnswer(event, stored[index], index)
  for (const [index, { event }] of added.entries())
    for (const threadId of routes[index]?.threads ?? []) {
      const { session_thread_id: _, ...body } = event.body ?? {}
      const isForOne = event.type === 'user.interrupt' && routes[index]?.named !== null
      const own = isForOne ? { ...body, session_thread_id: threadId } : body
      yield* appendEvents(threadId, [{ ...event, body: own }], { nowMs, wakes: true })
    }
  return stored
}

/** A client repeats an answer that it could not deliver; a different one comes too late. */
const refuseOtherAnswer = (
  { type, dedup, body }: NewEvent,
  first: StoredEvent | undefined,
  index: number,
): void => {
  const canDiffer = dedup !== undefined && type !== 'user.tool_result'
  if (canDiffer && JSON.stringify(first?.body) !== JSON.stringify(body))
    throw invalid(`events[${index}]`, 'the call was answered before, and differently')
}

interface Taken {
  event: NewEvent
  outcome?: OutcomeEvaluation
}

/** An event with this key is stored once; undefined for events that may be repeated. */
const keyOfAnswer = (event: ClientEvent): string | undefined => {
  if (event.type === 'user.tool_confirmation') return `confirmation:${event.tool_use_id}`
  if (event.type === 'user.tool_result') return `result:${event.tool_use_id}`
  if (event.type === 'user.custom_tool_result') return `result:${event.custom_tool_use_id}`
  return undefined
}

/** Answers are stored once and name the thread that they were routed to. */
const toNewEvent = (event: ClientEvent, session_thread_id: string | null): Taken => {
  const { type, ...fields } = event
  const routed = { ...fields, session_thread_id }
  if (event.type === 'user.define_outcome') return defineOutcome(event)
  const dedup = keyOfAnswer(event)
  if (dedup === undefined) return { event: { type, body: fields, queued: true } }
  const isQueued = event.type === 'user.tool_confirmation' ? { queued: true } : {}
  return { event: { type, body: routed, dedup, ...isQueued } }
}

const defineOutcome = (event: Extract<ClientEvent, { type: 'user.define_outcome' }>): Taken => {
  const { type, description, rubric } = event
  const outcome_id = createId('outc')
  const max_iterations = event.max_iterations ?? HOSTED_LIMITS.outcomeIterationsDefault
  return {
    event: { type, body: { outcome_id, description, rubric, max_iterations } },
    outcome: {
      type: 'outcome_evaluation',
      outcome_id,
      description,
      result: 'pending',
      explanation: null,
      iteration: 0,
      completed_at: null,
    },
  }
}
