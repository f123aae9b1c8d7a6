import { findPending } from './pending.ts'
import type { GivenEvent, HostedClient } from './types.ts'

/**
 * Whether these events make the session do something. Otherwise, as for an answer without a waiting
 * call or an interrupt of an idle session, waiting would never end.
 */
export const expectsTurn = async (
  client: HostedClient,
  sessionId: string,
  events: readonly GivenEvent[],
): Promise<boolean> => {
  if (events.some(({ type }) => !QUIET.has(type))) return true
  const session = await client.beta.sessions.retrieve(sessionId)
  if (session.status !== 'idle') return true
  const pending = await findPending(client, session)
  const answers = events.flatMap((event) => answered(event) ?? [])
  const isInterrupt = events.some(({ type }) => type === 'user.interrupt')
  return pending.some(({ id }) => isInterrupt || answers.includes(id))
}

const QUIET: ReadonlySet<string> = new Set([
  'user.interrupt',
  'user.tool_confirmation',
  'user.custom_tool_result',
])

/** The call that an event answers. */
const answered = (event: GivenEvent): string | undefined => {
  if (event.type === 'user.tool_confirmation') return event.tool_use_id
  return event.type === 'user.custom_tool_result' ? event.custom_tool_use_id : undefined
}

/** Whether one of these messages still waits: the idle event then belongs to an earlier one. */
export const isStillQueued = async (
  client: HostedClient,
  sessionId: string,
  ids: ReadonlySet<string>,
): Promise<boolean> => {
  if (ids.size === 0) return false
  const { data } = await client.beta.sessions.events.list(sessionId, {
    types: ['user.message'],
    order: 'desc',
  })
  return data.some(
    (event) => event.type === 'user.message' && ids.has(event.id) && event.processed_at === null,
  )
}
