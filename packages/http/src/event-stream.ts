import { type StartTimer, startBackgroundTimer } from '@steward/platform'

/** The call that a stream answers. */
export interface StreamCall {
  /** Aborted when the caller disconnects or the server stops. */
  signal: AbortSignal
  header: (name: string) => string | undefined
}

/** One server-sent event. */
export interface StreamEvent {
  /** Sent by a reconnecting client as `Last-Event-ID`. One line. */
  id?: string
  /** Its kind; clients see `message` if missing. One line. */
  event?: string
  /** Strings are sent unchanged, other values as JSON. */
  data: unknown
  /** A snapshot: it replaces an event of the same kind that still waits for a slow client. */
  latest?: boolean
}

/** The handler's side of a stream. */
export interface EventSink {
  /** False if the stream has ended: the client disconnected or is too slow, or the server stops. */
  send: (event: StreamEvent) => boolean
  /** Ends the stream after the events sent so far. */
  close: () => void
  /** `Last-Event-ID` of a reconnecting client. */
  lastEventId: string | undefined
}

export interface EventStreamOptions {
  setTimer?: StartTimer
  heartbeatMs?: number
  /**
   * Buffer limit for a slow client; beyond it the connection is closed, and the client reconnects
   * with its last id.
   */
  maxWaitingBytes?: number
}

const HEARTBEAT_MS = 15_000
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** How long a client waits before it reconnects. */
const RETRY_MS = 2000

/**
 * Answers with server-sent events. `start` gets the sink, may send immediately, and returns its
 * cleanup (subscriptions, timers), which is called exactly once. The stream ends when the caller
 * disconnects, the server stops (`call.signal`), the handler closes it, or the client reads too
 * slowly for the buffer.
 */
export const eventStream = (
  call: StreamCall,
  start: (sink: EventSink) => () => void,
  {
    setTimer = startBackgroundTimer,
    heartbeatMs = HEARTBEAT_MS,
    maxWaitingBytes = MAX_WAITING_BYTES,
  }: EventStreamOptions = {},
): Response => {
  const waiting = createWaitingLine()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let wake: (() => void) | undefined
  let over = false
  let stopTimer: (() => void) | undefined
  let stopHandler: (() => void) | undefined

  const end = () => {
    if (over) return
    over = true
    stopTimer?.()
    call.signal.removeEventListener('abort', cut)
    // Undefined if `start` itself closes the stream; then it is called right after.
    stopHandler?.()
    wake?.()
  }
  const cut = () => {
    waiting.clear()
    end()
  }
  const push = (chunk: Uint8Array, kind?: string): boolean => {
    if (over) return false
    waiting.add(chunk, kind)
    if (waiting.bytes() > maxWaitingBytes) {
      controller?.error(new Error('the client reads too slowly'))
      cut()
      return false
    }
    wake?.()
    return true
  }
  const beat = () => {
    // Waiting data keeps the connection alive as well as a heartbeat.
    if (waiting.bytes() === 0) push(ALIVE)
    if (!over) stopTimer = setTimer(heartbeatMs, beat)
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given
      },
      pull: async (given) => {
        let chunk = waiting.take()
        while (chunk === undefined && !over) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          wake = undefined
          chunk = waiting.take()
        }
        if (chunk === undefined) given.close()
        else given.enqueue(chunk)
      },
      cancel: cut,
    },
    { highWaterMark: 0 },
  )

  push(ENCODER.encode(`retry: ${RETRY_MS}\n\n`))
  stopTimer = setTimer(heartbeatMs, beat)
  call.signal.addEventListener('abort', cut, { once: true })
  try {
    stopHandler = start({
      send: (event) => push(encode(event), event.latest ? (event.event ?? 'message') : undefined),
      close: end,
      lastEventId: call.header('last-event-id'),
    })
  } catch (thrown) {
    cut()
    throw thrown
  }
  if (over) stopHandler()
  else if (call.signal.aborted) cut()
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

const ENCODER = new TextEncoder()
const ALIVE = ENCODER.encode(': alive\n\n')

const encoded = new WeakMap<StreamEvent, Uint8Array>()

/** An event for many clients is encoded once. */
const encode = (event: StreamEvent): Uint8Array => {
  const known = encoded.get(event)
  if (known !== undefined) return known
  const chunk = ENCODER.encode(render(event))
  encoded.set(event, chunk)
  return chunk
}

interface WaitingLine {
  /** `kind` marks a snapshot, which replaces one of its kind. */
  add: (chunk: Uint8Array, kind?: string) => void
  /** All waiting chunks as one, so that a burst is a single write. */
  take: () => Uint8Array | undefined
  bytes: () => number
  clear: () => void
}

const createWaitingLine = (): WaitingLine => {
  let chunks: { chunk: Uint8Array; kind: string | undefined }[] = []
  let bytes = 0
  return {
    add: (chunk, kind) => {
      const before = kind === undefined ? -1 : chunks.findIndex((each) => each.kind === kind)
      const [replaced] = before === -1 ? [] : chunks.splice(before, 1)
      bytes += chunk.length - (replaced?.chunk.length ?? 0)
      chunks.push({ chunk, kind })
    },
    take: () => {
      if (chunks.length === 0) return undefined
      const all = Buffer.concat(chunks.map(({ chunk }) => chunk))
      chunks = []
      bytes = 0
      return all
    },
    bytes: () => bytes,
    clear: () => {
      chunks = []
      bytes = 0
    },
  }
}

const render = ({ id, event, data }: StreamEvent): string => {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null')
  const lines = text.split(/\r\n|\n|\r/).map((line) => `data: ${line}\n`)
  return `${field('id', id)}${field('event', event)}${lines.join('')}\n`
}

/** A line break or NUL would end the field early. */
const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `${name}: ${value.replaceAll(/[\r\n\0]/g, '')}\n`
