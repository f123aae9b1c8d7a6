import {
  EVENT_SOURCE_NAMES,
  type EventSource,
  reasonOf,
  type StewardEvent,
} from '@steward/contract'
import { type EventSink, eventStream, type StreamEvent } from '@steward/http'
import type { LogPosition, Redactor, StartTimer } from '@steward/platform'
import type { Log } from '../../../log/log.ts'
import type { Call } from '../../../module.ts'
import type { ArrivedEvent } from '../collect/source-reader.ts'
import type { PushedEvent } from '../pushed/pushed-events.ts'
import { type Cursor, formatCursor, moveCursor, parseCursor, START_CURSOR } from './cursor.ts'
import { replaySource } from './replay-source.ts'

export interface BroadcastPorts {
  pathOf: (source: EventSource) => string
  redactor: () => Pick<Redactor, 'redactFields'>
  pushedSince: (sequence: number) => PushedEvent[] | undefined
  setTimer: StartTimer
  log: Pick<Log, 'error'>
}

/** What a client that comes back is sent at most; with more it is told to read the list anew. */
const REPLAY_ROWS = 10_000
/** Above what a replay comes to with rows of a usual length. */
const WAITING_BYTES = 16 * 1024 * 1024

/**
 * `GET /api/events/stream`. Each event has an id that says where its reader stands, so that a client
 * that comes back gets what it missed from the logs, also from a daemon that was restarted. `ready`
 * opens every stream; `resync` stands in for rows that are gone or too many: read the list anew.
 */
export const createEventBroadcast = (ports: BroadcastPorts) => {
  const clients = new Set<(message: StreamEvent) => void>()
  let cursor = START_CURSOR

  const tell = (message: StreamEvent): void => {
    for (const send of clients) send(message)
  }

  const replay = async (from: Cursor, to: Cursor): Promise<StreamEvent[] | undefined> => {
    const messages: StreamEvent[] = []
    let at = from
    for (const source of EVENT_SOURCE_NAMES) {
      const missed = await replaySource({
        source,
        path: ports.pathOf(source),
        from: from.positions[source],
        to: to.positions[source],
        redactor: ports.redactor(),
        mostRows: REPLAY_ROWS - messages.length,
      })
      if (missed === undefined) return undefined
      for (const { event, position } of missed) {
        at = moveCursor(at, source, position)
        messages.push(toMessage(at, event))
      }
      at = moveCursor(at, source, to.positions[source])
    }
    const pushed = ports.pushedSince(from.pushed)
    if (pushed === undefined) return undefined
    for (const { sequence, event } of pushed) {
      if (sequence > to.pushed) continue
      at = { ...at, pushed: sequence }
      messages.push(toMessage(at, event))
    }
    return messages
  }

  /** Live events wait until what was missed is out. */
  const resume = (sink: EventSink, from: Cursor | undefined): (() => void) => {
    const to = cursor
    let waiting: StreamEvent[] | undefined = []
    const receive = (message: StreamEvent): void => {
      if (waiting === undefined) sink.send(message)
      else waiting.push(message)
    }
    clients.add(receive)
    const finish = (messages: readonly StreamEvent[] | undefined): void => {
      const missed = messages ?? [{ id: formatCursor(to), event: 'resync', data: {} }]
      for (const message of [...missed, ...(waiting ?? [])]) sink.send(message)
      waiting = undefined
    }
    const replayed = from === undefined ? Promise.resolve(undefined) : replay(from, to)
    replayed.then(finish, (thrown: unknown) => {
      ports.log.error(`the event stream could not be resumed: ${reasonOf(thrown)}`)
      finish(undefined)
    })
    return () => {
      clients.delete(receive)
    }
  }

  return {
    /** Where the readers stand before anything arrives. */
    setStart: (positions: Readonly<Record<EventSource, LogPosition>>, pushed: number): void => {
      cursor = { positions, pushed }
    },
    sendRow: (source: EventSource, { event, position }: ArrivedEvent): void => {
      cursor = moveCursor(cursor, source, position)
      if (clients.size > 0) tell(toMessage(cursor, event))
    },
    /** A row that clients have already, as a pushed event. */
    passRow: (source: EventSource, { position }: ArrivedEvent): void => {
      cursor = moveCursor(cursor, source, position)
    },
    sendPushed: (pushed: readonly PushedEvent[]): void => {
      for (const { sequence, event } of pushed) {
        cursor = { ...cursor, pushed: sequence }
        if (clients.size > 0) tell(toMessage(cursor, event))
      }
    },
    clients: (): number => clients.size,
    open: (call: Call, after?: string): Response =>
      eventStream(
        call,
        (sink) => {
          // The header is younger: a browser that comes back by itself sends it to the same address.
          const from = sink.lastEventId ?? after
          if (from !== undefined) return resume(sink, parseCursor(from))
          const receive = (message: StreamEvent): void => {
            sink.send(message)
          }
          sink.send({ id: formatCursor(cursor), event: 'ready', data: {} })
          clients.add(receive)
          return () => {
            clients.delete(receive)
          }
        },
        { setTimer: ports.setTimer, maxWaitingBytes: WAITING_BYTES },
      ),
  }
}

const toMessage = (cursor: Cursor, event: StewardEvent): StreamEvent => ({
  id: formatCursor(cursor),
  data: JSON.stringify(event),
})
