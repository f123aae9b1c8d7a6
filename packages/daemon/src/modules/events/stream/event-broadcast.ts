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

/** The most rows replayed to a reconnecting client; beyond this it gets `resync`. */
const REPLAY_ROWS = 10_000
/** More than a replay of rows of usual length needs. */
const WAITING_BYTES = 16 * 1024 * 1024

/**
 * `GET /api/events/stream`. Each event id contains the reader's position, so that a reconnecting
 * client gets missed rows from the logs, even after a daemon restart. `ready` opens every stream;
 * `resync` means that rows are missing or too many, so the client must reload the list.
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

  /** Live events wait until the missed ones are sent. */
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
    /** Sets the readers' positions before any event arrives. */
    setStart: (positions: Readonly<Record<EventSource, LogPosition>>, pushed: number): void => {
      cursor = { positions, pushed }
    },
    sendRow: (source: EventSource, { event, position }: ArrivedEvent): void => {
      cursor = moveCursor(cursor, source, position)
      if (clients.size > 0) tell(toMessage(cursor, event))
    },
    /** Moves past a row that clients already received as a pushed event. */
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
          // The header is newer: a browser that reconnects sends it to the same address.
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
