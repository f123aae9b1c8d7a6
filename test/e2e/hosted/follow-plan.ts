import type Anthropic from '@anthropic-ai/sdk'

type Events = Anthropic['beta']['sessions']['events']
export type SessionEvent = Awaited<ReturnType<Events['list']>>['data'][number]

/**
 * Follows a session until its turn has ended, as consumers do: stream first, then the history, one of
 * each event. A server that goes away is come back to. Answers custom tools. Resolves with all it saw.
 */
export const followPlan = async (
  clientOf: () => Anthropic,
  sessionId: string,
): Promise<ReadonlyMap<string, SessionEvent>> => {
  const seen = new Map<string, SessionEvent>()
  const answered = new Set<string>()
  for (;;) {
    const { events } = clientOf().beta.sessions
    const controller = new AbortController()
    try {
      const stream = await events.stream(sessionId, {}, { signal: controller.signal })
      for await (const event of events.list(sessionId, { limit: 1000 })) seen.set(event.id, event)
      if (await settle(events, sessionId, seen, answered)) return seen
      for await (const event of stream) {
        if (event.type === 'event_start' || event.type === 'event_delta') continue
        if (event.type === 'session.deleted') throw new Error(`${sessionId} was deleted`)
        seen.set(event.id, event)
        if (
          event.type === 'session.status_idle' &&
          (await settle(events, sessionId, seen, answered))
        )
          return seen
      }
    } catch (thrown) {
      if (!isConnectionLoss(thrown)) throw thrown
    } finally {
      controller.abort()
    }
  }
}

/** Gives the session what it waits for; whether its turn has ended instead. */
const settle = async (
  events: Events,
  sessionId: string,
  seen: ReadonlyMap<string, SessionEvent>,
  answered: Set<string>,
): Promise<boolean> => {
  const idle = [...seen.values()].findLast(({ type }) => type.startsWith('session.status_'))
  if (idle?.type !== 'session.status_idle') return false
  if (idle.stop_reason.type !== 'requires_action') return true
  for (const id of idle.stop_reason.event_ids) {
    if (answered.has(id)) continue
    const content = [{ type: 'text' as const, text: `answer to ${id}` }]
    await events.send(sessionId, {
      events: [{ type: 'user.custom_tool_result', custom_tool_use_id: id, content }],
    })
    answered.add(id)
  }
  return false
}

/** The client's own words for a connection that was refused or cut, and undici's. */
const isConnectionLoss = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.constructor.name === 'APIConnectionError' ||
    /terminated|fetch failed|ECONNRE|other side closed|aborted/i.test(
      `${thrown.message} ${thrown.cause instanceof Error ? thrown.cause.message : ''}`,
    ))
