import { StewardError } from '@steward/contract'
import type { HostedClient, LoggedEvent } from './types.ts'

const PAGE = 200

/** The id of the newest event; `null` while nothing has happened. */
export const findNewest = async (
  client: HostedClient,
  sessionId: string,
): Promise<string | null> => {
  const { data } = await client.beta.sessions.events.list(sessionId, { order: 'desc', limit: 1 })
  return data[0]?.id ?? null
}

/**
 * What the log has after an event, oldest first, and all of it after `null`; read from its end, as
 * logs grow long.
 */
export const listSince = async (
  client: HostedClient,
  sessionId: string,
  after: string | null,
): Promise<LoggedEvent[]> => {
  const found: LoggedEvent[] = []
  const events = client.beta.sessions.events.list(sessionId, { order: 'desc', limit: PAGE })
  for await (const event of events) {
    if (event.id === after) return found.reverse()
    found.push(event)
  }
  if (after === null) return found.reverse()
  throw new StewardError('not_found', { what: `event of ${sessionId}`, name: after })
}
