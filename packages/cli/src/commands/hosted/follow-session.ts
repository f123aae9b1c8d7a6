import { StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'
import type { HostedClient, LoggedEvent, StreamedEvent } from './types.ts'

export interface FollowOptions {
  deltas: boolean
  /** Start after this event instead of now. */
  after?: string | undefined
  /** Called once the stream is open, so that the effects of what it sends cannot be missed. */
  whenOpen?: () => Promise<void>
  /** Returns whether to end. */
  onEvent: (event: StreamedEvent) => Promise<boolean> | boolean
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5000
/** Waits for a server that restarts within about a minute. */
const MOST_FAILURES = 15

/**
 * Shows a session's events until told to end, each once and in order: a broken stream is reopened,
 * and missed events are read from the log.
 */
export const followSession = async (
  io: Pick<Io, 'signal' | 'err'>,
  client: HostedClient,
  sessionId: string,
  options: FollowOptions,
): Promise<void> => {
  const seen = new Set<string>()
  /** The newest event that was shown or existed before; `null` before the first one. */
  let last: string | null | undefined = options.after
  let failures = 0
  let opened = false

  const take = async (event: StreamedEvent): Promise<boolean> => {
    const id = 'id' in event ? event.id : undefined
    if (id !== undefined) {
      if (seen.has(id)) return false
      seen.add(id)
      last = id
    }
    const ends = await options.onEvent(event)
    return ends || event.type === 'session.deleted' || event.type === 'session.status_terminated'
  }

  const goOnce = async (): Promise<boolean> => {
    const stream = await client.beta.sessions.events.stream(
      sessionId,
      options.deltas ? { event_deltas: ['agent.message'] } : {},
      { maxRetries: 0 },
    )
    try {
      if (last === undefined) last = await findNewest(client, sessionId)
      else
        for (const event of await listSince(client, sessionId, last)) {
          if (await take(event)) return true
        }
      if (!opened) await options.whenOpen?.()
      opened = true
      failures = 0
      for await (const event of stream) if (await take(event)) return true
      return false
    } finally {
      stream.controller.abort()
    }
  }

  for (;;) {
    try {
      if (await goOnce()) return
    } catch (thrown) {
      io.signal.throwIfAborted()
      failures += 1
      if (!opened || failures > MOST_FAILURES || !(await isPassing(thrown))) throw thrown
    }
    if (failures <= 1) io.err.write('(the connection was lost; trying again)\n')
    await options.sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures), io.signal)
  }
}

/**
 * Whether a retry may succeed soon: nothing answers, or the server reports that it is not ready.
 */
const isPassing = async (thrown: unknown): Promise<boolean> => {
  const { APIConnectionError, APIError } = await import('@anthropic-ai/sdk')
  if (thrown instanceof APIConnectionError) return true
  if (thrown instanceof APIError) return thrown.status === undefined || thrown.status >= 500
  // A truncated body is thrown like an error of fetch.
  return thrown instanceof TypeError
}

const PAGE = 200

/** The id of the newest event; `null` if there is none. */
const findNewest = async (client: HostedClient, sessionId: string): Promise<string | null> => {
  const { data } = await client.beta.sessions.events.list(sessionId, { order: 'desc', limit: 1 })
  return data[0]?.id ?? null
}

/**
 * Events of the log after a given one, oldest first, or all after `null`; read from its end,
 * because logs grow long.
 */
const listSince = async (
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
