import { API } from '@steward/contract'
import { expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createLiveModule } from './live-module.ts'

const open = async () => {
  const bus = createBus({ info: () => undefined, warn: () => undefined, error: () => undefined })
  const timers: Array<() => void> = []
  const module = createLiveModule({
    bus,
    setTimer: (_, run) => {
      timers.push(run)
      return () => undefined
    },
  })
  await module.start?.()
  const gone = new AbortController()
  const handler = module.handlers.find(({ route }) => route === API.streamChanges)
  const answer = handler?.answer(
    { params: {}, query: {}, body: undefined },
    { signal: gone.signal, header: () => undefined },
  )
  if (!(answer instanceof Response) || answer.body === null) throw new Error('no stream')
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toContain('retry:')
  return { bus, module, timers, gone, next: async () => (await reader.read()).value }
}

it('reports a burst once, by topic and without data', async () => {
  const { bus, timers, next } = await open()
  bus.publish('events.arrived', { events: [] })
  bus.publish('events.arrived', { events: [] })
  bus.publish('live.changed', { topics: ['security', 'events'] })
  bus.publish('work-state.changed', { state: { sessions: { secret: {} } } })
  expect(timers).toHaveLength(1)
  timers[0]?.()
  expect(await next()).toBe('event: changed\ndata: ["events","security","sessions"]\n\n')
  bus.publish('knowledge.changed', { changes: [] })
  timers[1]?.()
  expect(await next()).toBe('event: changed\ndata: ["knowledge"]\n\n')
})

it('gathers nothing without a listener', async () => {
  const { bus, module, timers, gone } = await open()
  expect(module.health()).toEqual({ status: 'ok', pages: 1 })
  gone.abort()
  expect(module.health()).toEqual({ status: 'ok', pages: 0 })
  bus.publish('events.arrived', { events: [] })
  expect(timers).toHaveLength(0)
})
