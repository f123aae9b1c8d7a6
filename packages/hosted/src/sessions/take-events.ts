import { type ClientEvent, HOSTED_LIMITS, type OutcomeEvaluation } from '@steward/contract'
import type { NewEvent, StoredEvent } from '../database/stored-event.ts'
import type { Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { appendEvents } from '../log/append-events.ts'
import { type StoredSession, writeSessionBody } from '../log/stored-session.ts'

/** Appends clients' validated events in order and wakes the session. */
export function* takeEvents(
  session: StoredSession,
  events: readonly ClientEvent[],
  nowMs: number,
): Tx<readonly StoredEvent[]> {
  const added = events.map(toNewEvent)
  const outcomes = added.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
  if (outcomes.length > 0) {
    const { body } = session
    const outcome_evaluations = [...body.outcome_evaluations, ...outcomes]
    yield* writeSessionBody(session.id, { ...body, outcome_evaluations }, nowMs)
  }
  return yield* appendEvents(
    session.id,
    added.map(({ event }) => event),
    { nowMs, wakes: true },
  )
}

interface Taken {
  event: NewEvent
  outcome?: OutcomeEvaluation
}

/** Results and confirmations have a deduplication key, so that one sent twice is stored once. */
const toNewEvent = (event: ClientEvent): Taken => {
  const { type, ...fields } = event
  if (event.type === 'user.define_outcome') return defineOutcome(event)
  if (event.type === 'user.tool_confirmation') {
    const dedup = `confirmation:${event.tool_use_id}`
    return { event: { type, body: routed(fields), queued: true, dedup } }
  }
  if (event.type === 'user.tool_result')
    return { event: { type, body: routed(fields), dedup: `result:${event.tool_use_id}` } }
  if (event.type === 'user.custom_tool_result')
    return { event: { type, body: routed(fields), dedup: `result:${event.custom_tool_use_id}` } }
  return { event: { type, body: fields, queued: true } }
}

/** A reply is routed by the id it answers; with a single thread there is nothing to fill in. */
const routed = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { session_thread_id: _, ...rest } = fields
  return { ...rest, session_thread_id: null }
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
