import type { StartTimer } from '@steward/platform'

/** The call that a stream answers. */
export interface StreamCall {
  /** Aborted when the caller is gone or the server stops. */
  signal: AbortSignal
  header: (name: string) => string | undefined
}

/** One server-sent event. */
export interface StreamEvent {
  /** What a client that comes back sends as `Last-Event-ID`. One line. */
  id?: string
  /** Its kind; `message` to a client when there is none. One line. */
  event?: string
  /** A string goes out as it is, anything else as JSON. */
  data: unknown
  /** A snapshot: one of the same kind that still waits for a slow client is replaced by it. */
  latest?: boolean
}

/** What a handler writes to. */
export interface EventSink {
  /** False when the stream is over: the client is gone or too slow, or the server stops. */
  send: (event: StreamEvent) => boolean
  /** Ends the stream after what was sent before. */
  close: () => void
  /** `Last-Event-ID` of a client that comes back. */
  lastEventId: string | undefined
}

export interface EventStreamOptions {
  setTimer?: StartTimer
  heartbeatMs?: number
  /** What waits for a slow client; beyond it the connection is cut, and the client comes back with its last id. */
  maxWaitingBytes?: number
}

const HEARTBEAT_MS = 15_000
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** How long a client waits before it comes back. */
const RETRY_MS = 2000

/**
 * Answers with server-sent events. `start` gets the sink, may send at once, and gives back what ends
 * its own part (subscriptions, timers); that is called exactly once, however the stream ends. It ends
 * when the caller is gone, the server stops (`call.signal`), the handler closes it, or the client
 * reads too slowly for the memory it may take.
 */
export const eventStream = (
  call: StreamCall,
  start: (sink: EventSink) => () => void,
  {
    setTimer = startTimer,
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
    // Not there yet when `start` itself closes the stream; it is then called right after.
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
    // What waits keeps the connection alive as well as a heartbeat would.
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

/** An event that goes to many clients is made into bytes once. */
const encode = (event: StreamEvent): Uint8Array => {
  const known = encoded.get(event)
  if (known !== undefined) return known
  const chunk = ENCODER.encode(render(event))
  encoded.set(event, chunk)
  return chunk
}

const startTimer = (delayMs: number, action: () => void): (() => void) => {
  const timer = setTimeout(action, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

interface WaitingLine {
  /** `kind` marks a snapshot, which takes the place of one of its kind. */
  add: (chunk: Uint8Array, kind?: string) => void
  /** All that waits, as one: a burst is then one write and not thousands. */
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

/** A line break or NUL in it would end the field early. */
const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `${name}: ${value.replaceAll(/[\r\n\0]/g, '')}\n`
