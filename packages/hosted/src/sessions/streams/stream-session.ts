import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { PreviewedEventType } from '@steward/contract'
import { invalid } from '../../api/refusal.ts'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { one, type Tx } from '../../database/tx.ts'
import { readEvents } from '../../log/read-events.ts'
import type { StoredSession } from '../../log/stored-session.ts'
import type { Channel } from './channel.ts'
import { toFrame } from './frame.ts'
import type { Hub } from './hub.ts'
import { createSubscriber, type FrameSink, type Subscriber } from './subscriber.ts'

export interface StreamPorts {
  database: HostedDatabase
  hub: Hub
  outgoing: ServerResponse
  headers: Readonly<Record<string, string>>
  /** Receives failures after the response has started, when it can no longer be an error. */
  report: (thrown: unknown) => void
}

export interface StreamRequest {
  /** The row, if it is known without looking. */
  sessionId?: string
  /** The session or thread; throws 404. */
  find: () => Tx<StoredSession>
  deltas: readonly PreviewedEventType[]
  /** Starts after this event instead of now. */
  after: string | undefined
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Buffering proxies would delay events.
  'x-accel-buffering': 'no',
}
const CATCH_UP_AT_ONCE = 200

/**
 * Opens a stream on the raw connection. Sends the headers only after subscribing to the session, so
 * that a client misses nothing that happens after it has them.
 */
export const streamSession = async (
  { database, hub, outgoing, headers, report }: StreamPorts,
  request: StreamRequest,
): Promise<Response> => {
  const sessionId = request.sessionId ?? (await database.read(request.find)).id
  const channel = hub.open(sessionId)
  let subscriber: Subscriber | undefined
  const leave = (): void => {
    if (subscriber !== undefined) channel.leave(subscriber)
    hub.leave(sessionId)
  }
  try {
    const start = await database.read(() => findStart(request))
    channel.start(start.lastSeq)
    if (outgoing.destroyed) {
      leave()
      return RESPONSE_ALREADY_SENT
    }
    outgoing.once('close', leave)
    outgoing.writeHead(200, { ...headers, ...HEADERS })
    outgoing.flushHeaders()
    const seen = start.afterSeq ?? Math.max(start.lastSeq, channel.sentSeq)
    const readOn = (): void => {
      if (subscriber === undefined) return
      catchUp(database, sessionId, channel, subscriber, outgoing).catch((thrown: unknown) => {
        outgoing.destroy()
        report(thrown)
      })
    }
    subscriber = createSubscriber(toSink(outgoing), seen, request.deltas, readOn)
    channel.join(subscriber)
    readOn()
  } catch (thrown) {
    leave()
    throw thrown
  }
  return RESPONSE_ALREADY_SENT
}

function* findStart(request: StreamRequest): Tx<{ lastSeq: number; afterSeq: number | undefined }> {
  const { id, lastSeq } = yield* request.find()
  if (request.after === undefined) return { lastSeq, afterSeq: undefined }
  const row = ID.test(request.after)
    ? yield* one('SELECT seq FROM events WHERE session_id = $1 AND id = $2', id, request.after)
    : undefined
  if (row === undefined) throw invalid('after', 'it is not the id of an event of this session')
  return { lastSeq, afterSeq: Number(row.seq) }
}

const ID = /^[\w-]{1,128}$/

/**
 * Sends the events between the stream's position and the channel's, no faster than the client
 * reads, and switches to live in the same tick in which it has caught up, so that nothing is missed
 * or sent twice.
 */
const catchUp = async (
  database: HostedDatabase,
  sessionId: string,
  channel: Channel,
  subscriber: Subscriber,
  outgoing: ServerResponse,
): Promise<void> => {
  const { sink } = subscriber
  if (sink.isStuck()) await sink.drained()
  while (subscriber.seenSeq < channel.sentSeq && !outgoing.destroyed) {
    const after = subscriber.seenSeq
    const events = await database.read(() => readEvents(sessionId, after, CATCH_UP_AT_ONCE))
    // The session was deleted meanwhile; the stream is about to end.
    if (events.length === 0) break
    for (const event of events) {
      if (outgoing.destroyed) return
      if (event.listed) sink.write(toFrame(event))
      subscriber.seenSeq = event.seq
      if (sink.isStuck()) await sink.drained()
    }
  }
  subscriber.lags = false
}

const toSink = (outgoing: ServerResponse): FrameSink => ({
  write: (frame) => !outgoing.destroyed && !outgoing.writableEnded && outgoing.write(frame),
  waitingBytes: () => outgoing.writableLength,
  isStuck: () => outgoing.writableNeedDrain,
  drained: () =>
    new Promise((resolve) => {
      if (outgoing.destroyed) return resolve()
      const go = (): void => {
        outgoing.off('drain', go).off('close', go)
        resolve()
      }
      outgoing.on('drain', go).on('close', go)
    }),
  end: () => outgoing.end(),
  cut: () => outgoing.destroy(),
})
