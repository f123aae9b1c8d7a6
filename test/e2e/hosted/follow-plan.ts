import type Anthropic from '@anthropic-ai/sdk'

type Events = Anthropic['beta']['sessions']['events']
export type SessionEvent = Awaited<ReturnType<Events['list']>>['data'][number]

/** What a consumer of a session saw. */
export interface Followed {
  /** One of each event, from streams and from the history. */
  seen: ReadonlyMap<string, SessionEvent>
  /** The ids that came over each stream, in their order. */
  streamed: readonly (readonly string[])[]
  /** How long it was without a stream, each time it lost one. */
  awayMs: readonly number[]
}

/**
 * Follows a session until its turn has ended, as consumers do: stream first, then the history, one of
 * each event. A server that goes away is come back to. Answers custom tools.
 */
export const followPlan = async (
  clientOf: () => Anthropic,
  sessionId: string,
): Promise<Followed> => {
  const seen = new Map<string, SessionEvent>()
  const streamed: string[][] = []
  const awayMs: number[] = []
  const answered = new Set<string>()
  let lostMs: number | undefined
  for (;;) {
    const { events } = clientOf().beta.sessions
    const controller = new AbortController()
    try {
      const stream = await events.stream(sessionId, {}, { signal: controller.signal })
      if (lostMs !== undefined) awayMs.push(Date.now() - lostMs)
      lostMs = undefined
      const heard: string[] = []
      streamed.push(heard)
      for await (const event of events.list(sessionId, { limit: 1000 })) seen.set(event.id, event)
      if (await settle(events, sessionId, seen, answered)) return { seen, streamed, awayMs }
      for await (const event of stream) {
        if (event.type === 'event_start' || event.type === 'event_delta') continue
        if (event.type === 'session.deleted') throw new Error(`${sessionId} was deleted`)
        heard.push(event.id)
        seen.set(event.id, event)
        if (
          event.type === 'session.status_idle' &&
          (await settle(events, sessionId, seen, answered))
        )
          return { seen, streamed, awayMs }
      }
    } catch (thrown) {
      if (!isConnectionLoss(thrown)) throw thrown
      lostMs ??= Date.now()
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
