import { expect, test, vi } from 'vitest'
import { type EventSink, eventStream } from './event-stream.ts'

const callOf = (headers: Record<string, string> = {}) => {
  const gone = new AbortController()
  return {
    gone,
    call: { signal: gone.signal, header: (name: string) => headers[name.toLowerCase()] },
  }
}

/** A timer fired by the test. */
const handTimer = () => {
  let ring: (() => void) | undefined
  return {
    setTimer: (_delayMs: number, action: () => void) => {
      ring = action
      return () => {
        ring = undefined
      }
    },
    ring: () => ring?.(),
    isSet: () => ring !== undefined,
  }
}

const open = (options: { headers?: Record<string, string>; maxWaitingBytes?: number } = {}) => {
  const { gone, call } = callOf(options.headers)
  const timer = handTimer()
  const stop = vi.fn()
  let sink: EventSink | undefined
  const response = eventStream(
    call,
    (given) => {
      sink = given
      return stop
    },
    { setTimer: timer.setTimer, maxWaitingBytes: options.maxWaitingBytes },
  )
  if (sink === undefined || response.body === null) throw new Error('no stream')
  const reader = response.body.getReader()
  return { gone, timer, stop, sink, response, reader }
}

const readNext = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value)

test('events are sent as server-sent events in order, and waiting ones as one write', async () => {
  const { sink, reader, response } = open()
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(sink.send({ id: '7', event: 'arrived', data: { a: 1 } })).toBe(true)
  expect(sink.send({ data: 'two\nlines' })).toBe(true)
  expect(await readNext(reader)).toBe(
    'retry: 2000\n\nid: 7\nevent: arrived\ndata: {"a":1}\n\ndata: two\ndata: lines\n\n',
  )
})

test('a line break in an id forges no second field', async () => {
  const { sink, reader } = open()
  await readNext(reader)
  sink.send({ id: '1\ndata: forged', data: 'x' })
  expect(await readNext(reader)).toBe('id: 1data: forged\ndata: x\n\n')
})

test('a reader that waits is woken', async () => {
  const { sink, reader } = open()
  await readNext(reader)
  const next = readNext(reader)
  sink.send({ data: 'late' })
  expect(await next).toBe('data: late\n\n')
})

test('heartbeats are sent repeatedly while nothing else waits', async () => {
  const { timer, reader } = open()
  await readNext(reader)
  for (const _ of [1, 2]) {
    const next = readNext(reader)
    timer.ring()
    expect(await next).toBe(': alive\n\n')
  }
})

test('closing delivers earlier events, then ends, and stops the handler once', async () => {
  const { sink, reader, stop, timer, gone } = open()
  await readNext(reader)
  sink.send({ data: 'last' })
  sink.close()
  expect(sink.send({ data: 'too late' })).toBe(false)
  expect(await readNext(reader)).toBe('data: last\n\n')
  expect((await reader.read()).done).toBe(true)
  gone.abort()
  expect(stop).toHaveBeenCalledTimes(1)
  expect(timer.isSet()).toBe(false)
})

test('a caller that is gone ends it, and so does a reader that cancels', async () => {
  const first = open()
  first.gone.abort()
  expect(first.sink.send({ data: 1 })).toBe(false)
  expect(first.stop).toHaveBeenCalledTimes(1)
  const second = open()
  await second.reader.cancel()
  expect(second.sink.send({ data: 1 })).toBe(false)
  expect(second.stop).toHaveBeenCalledTimes(1)
})

test('a call that already ended never keeps a subscription', () => {
  const { gone, call } = callOf()
  gone.abort()
  const stop = vi.fn()
  eventStream(call, () => stop, { setTimer: handTimer().setTimer })
  expect(stop).toHaveBeenCalledTimes(1)
})

test('a handler that closes while it starts is stopped too', async () => {
  const { call } = callOf()
  const stop = vi.fn()
  const response = eventStream(
    call,
    (sink) => {
      sink.send({ data: 'all there is' })
      sink.close()
      return stop
    },
    { setTimer: handTimer().setTimer },
  )
  expect(stop).toHaveBeenCalledTimes(1)
  expect(await response.text()).toBe('retry: 2000\n\ndata: all there is\n\n')
})

test('a handler that throws while it starts leaves no timer behind', () => {
  const { call } = callOf()
  const timer = handTimer()
  const fail = () => {
    throw new Error('no such run')
  }
  expect(() => eventStream(call, fail, { setTimer: timer.setTimer })).toThrow('no such run')
  expect(timer.isSet()).toBe(false)
})

test('a client that reads too slowly is disconnected before it exceeds its memory limit', async () => {
  const { sink, reader, stop } = open({ maxWaitingBytes: 1000 })
  let sent = 0
  while (sink.send({ data: 'x'.repeat(90) })) sent += 1
  expect(sent).toBeLessThanOrEqual(10)
  expect(stop).toHaveBeenCalledTimes(1)
  await expect(reader.read()).rejects.toThrow('too slowly')
})

test('a snapshot replaces a waiting one, so a slow client only costs one', async () => {
  const { sink, reader } = open({ maxWaitingBytes: 1000 })
  await readNext(reader)
  for (let count = 0; count < 1000; count++) {
    expect(sink.send({ event: 'state', data: { count }, latest: true })).toBe(true)
  }
  expect(await readNext(reader)).toBe('event: state\ndata: {"count":999}\n\n')
})

test('a reconnecting client sends its last id', () => {
  expect(open({ headers: { 'last-event-id': '42' } }).sink.lastEventId).toBe('42')
  expect(open().sink.lastEventId).toBeUndefined()
})
