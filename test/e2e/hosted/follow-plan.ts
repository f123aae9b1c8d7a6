import type Anthropic from '@anthropic-ai/sdk'

type Events = Anthropic['beta']['sessions']['events']
export type SessionEvent = Awaited<ReturnType<Events['list']>>['data'][number]

/** The events that a consumer of a session saw. */
export interface Followed {
  /** Each event once, from streams and from the history. */
  seen: ReadonlyMap<string, SessionEvent>
  /** The ids received from each stream, in order. */
  streamed: readonly (readonly string[])[]
  /** The duration of each period without a stream. */
  awayMs: readonly number[]
}

/**
 * Follows a session until its turn has ended, as consumers do: first the stream, then the history,
 * deduplicated. Reconnects when a server goes away. Answers custom tools.
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

/** Answers what the session waits for; returns whether its turn has ended instead. */
const settle = async (
  events: Events,
  sessionId: string,
  seen: ReadonlyMap<string, SessionEvent>,
  answered: Set<string>,
): Promise<boolean> => {
  // A message after the end of a turn begins the next one.
  const idle = [...seen.values()].findLast(
    ({ type }) => type.startsWith('session.status_') || type === 'user.message',
  )
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

/** The messages of the client and of undici for a refused or lost connection. */
const isConnectionLoss = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.constructor.name === 'APIConnectionError' ||
    /terminated|fetch failed|ECONNRE|other side closed|aborted/i.test(
      `${thrown.message} ${thrown.cause instanceof Error ? thrown.cause.message : ''}`,
    ))
