import { StewardError } from '@steward/contract'
import type { HostedClient, LoggedEvent } from './types.ts'

const PAGE = 200

/** What the log has after an event, oldest first; read from its end, as logs grow long. */
export const listSince = async (
  client: HostedClient,
  sessionId: string,
  after: string,
): Promise<LoggedEvent[]> => {
  const found: LoggedEvent[] = []
  const events = client.beta.sessions.events.list(sessionId, { order: 'desc', limit: PAGE })
  for await (const event of events) {
    if (event.id === after) return found.reverse()
    found.push(event)
  }
  throw new StewardError('not_found', { what: `event of ${sessionId}`, name: after })
}
