import type { HostedDatabase } from '../../database/hosted-database.ts'
import { type Channel, createChannel } from './channel.ts'
import { PING_FRAME, toDeletedFrame } from './frame.ts'
import type { Subscriber } from './subscriber.ts'

export interface HubPorts {
  database: HostedDatabase
  now: () => number
  /** Repeats an action until stopped. */
  repeat: (everyMs: number, action: () => void) => () => void
  onFailure: (thrown: unknown) => void
}

/** All open streams of this process. */
export interface Hub {
  /** The session's channel, which subscribes from now on; each `open` needs one `leave`. */
  open(sessionId: string): Channel
  leave(sessionId: string): void
  /** The number of streams that are open or opening. */
  count(): number
  /** Ends every stream; clients reconnect to another process. */
  close(): void
}

const PING_EVERY_MS = 15_000

export const createHub = ({ database, now, repeat, onFailure }: HubPorts): Hub => {
  const channels = new Map<string, { channel: Channel; users: number }>()
  let streams = 0
  const everyone = function* (): Generator<Subscriber> {
    for (const { channel } of channels.values()) yield* channel.subscribers
  }

  const stopHearing = database.hear(({ sessionId, news }) => {
    const channel = channels.get(sessionId)?.channel
    if (channel === undefined) return
    if (news.type === 'appended') channel.recordAppended(news)
    else if (news.type === 'preview') channel.recordPreview(news.frame)
    else if (news.type === 'deleted') {
      channels.delete(sessionId)
      const frame = toDeletedFrame(now())
      for (const subscriber of [...channel.subscribers]) subscriber.end(frame)
    }
  })
  // One timer for all streams, because a thousand would fire one after the other.
  const stopPings = repeat(PING_EVERY_MS, () => {
    for (const subscriber of everyone()) subscriber.ping(PING_FRAME)
  })

  return {
    open: (sessionId) => {
      const entry = channels.get(sessionId) ?? {
        channel: createChannel(database, sessionId, onFailure),
        users: 0,
      }
      entry.users += 1
      streams += 1
      channels.set(sessionId, entry)
      return entry.channel
    },
    leave: (sessionId) => {
      streams -= 1
      const entry = channels.get(sessionId)
      if (entry === undefined) return
      entry.users -= 1
      if (entry.users === 0) channels.delete(sessionId)
    },
    count: () => streams,
    close: () => {
      stopHearing()
      stopPings()
      for (const subscriber of everyone()) subscriber.sink.end()
      channels.clear()
    },
  }
}
