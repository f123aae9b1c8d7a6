import { coalesce } from '@steward/platform'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import type { StoredEvent } from '../../database/stored-event.ts'
import type { Appended } from '../../database/tx.ts'
import { readEvents } from '../../log/read-events.ts'
import { toFrame, toPreviewFrame } from './frame.ts'
import { readPreview } from './preview.ts'
import type { Subscriber } from './subscriber.ts'

/** How many events are read at once, so that a long log is never in memory as a whole. */
const READ_AT_ONCE = 500

export interface Channel {
  readonly subscribers: ReadonlySet<Subscriber>
  /** The newest event that was sent. */
  readonly sentSeq: number
  /** Sends events after this one; a second call has no effect. */
  start(seq: number): void
  /** Events up to `seq` exist. */
  recordAppended(appended: Omit<Appended, 'type'>): void
  recordPreview(json: string): void
  join(subscriber: Subscriber): void
  leave(subscriber: Subscriber): void
}

/**
 * One session's live events in this process: each is read and serialised once and sent to all
 * streams. Previews wait for events that are still being read, so that the order is kept.
 */
export const createChannel = (
  database: HostedDatabase,
  sessionId: string,
  onFailure: (thrown: unknown) => void,
): Channel => {
  const subscribers = new Set<Subscriber>()
  const previews: string[] = []
  let isStarted = false
  let sentSeq = 0
  /**
   * Announcements before the start are remembered, so that nothing is lost between reading and
   * subscribing.
   */
  let knownSeq = 0

  /** Events that were appended in this process and are not sent yet. */
  let atHand: readonly StoredEvent[] = []

  /** The next events: from memory if there is no gap, otherwise from the log. */
  const takeNext = (): readonly StoredEvent[] | Promise<readonly StoredEvent[]> => {
    const after = sentSeq
    const [first] = atHand
    if (first?.seq !== after + 1)
      return database.read(() => readEvents(sessionId, after, READ_AT_ONCE))
    const events = atHand
    atHand = []
    return events
  }

  const sendEvents = async (): Promise<void> => {
    while (sentSeq < knownSeq) {
      const events = await takeNext()
      const last = events.at(-1)
      // The session was deleted meanwhile; there is nothing more to send.
      if (last === undefined) {
        sentSeq = knownSeq
        return
      }
      for (const event of events) {
        if (!event.listed) continue
        const frame = toFrame(event)
        for (const subscriber of subscribers) subscriber.send(event.seq, frame)
      }
      sentSeq = last.seq
    }
  }

  const sendPreviews = (): void => {
    for (const json of previews.splice(0)) {
      const preview = readPreview(json)
      if (preview === undefined) continue
      const frame = toPreviewFrame(json)
      for (const subscriber of subscribers) subscriber.preview(preview, frame)
    }
  }

  const pump = coalesce(async () => {
    if (!isStarted) return
    try {
      await sendEvents()
      sendPreviews()
    } catch (thrown) {
      // Ends streams that would have a gap: clients reconnect and list what they missed.
      for (const subscriber of subscribers) subscriber.sink.cut()
      onFailure(thrown)
    }
  })

  return {
    subscribers,
    get sentSeq() {
      return sentSeq
    },
    start: (seq) => {
      if (isStarted) return
      isStarted = true
      sentSeq = seq
      void pump()
    },
    recordAppended: ({ seq, events = [] }) => {
      knownSeq = Math.max(knownSeq, seq)
      const last = atHand.at(-1)
      const isNext = last !== undefined && last.seq + 1 === events[0]?.seq
      atHand = isNext && atHand.length < READ_AT_ONCE ? [...atHand, ...events] : events
      void pump()
    },
    recordPreview: (json) => {
      previews.push(json)
      void pump()
    },
    join: (subscriber) => subscribers.add(subscriber),
    leave: (subscriber) => subscribers.delete(subscriber),
  }
}
