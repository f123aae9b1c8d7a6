import { expect, test } from 'vitest'
import { createHeldBus } from './bus.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('a listener that subscribes before the release gets earlier messages in order', () => {
  const bus = createHeldBus(log)
  const heard: string[] = []
  bus.publish('live.changed', { topics: ['events'] })
  bus.publish('notice', { kind: 'error', message: 'a full disk' })
  bus.subscribe('live.changed', ({ topics }) => heard.push(...topics))
  bus.subscribe('notice', ({ message }) => heard.push(message))
  expect(heard).toEqual([])
  bus.release()
  expect(heard).toEqual(['events', 'a full disk'])
  bus.publish('live.changed', { topics: ['wiki'] })
  expect(heard).toEqual(['events', 'a full disk', 'wiki'])
})

test('messages published during the release follow the held ones', () => {
  const bus = createHeldBus(log)
  const heard: string[] = []
  bus.subscribe('events.arrived', () => bus.publish('live.changed', { topics: ['events'] }))
  bus.subscribe('events.arrived', () => heard.push('event'))
  bus.subscribe('live.changed', ({ topics }) => heard.push(...topics))
  bus.publish('events.arrived', { events: [] })
  bus.publish('live.changed', { topics: ['wiki'] })
  bus.release()
  expect(heard).toEqual(['events', 'event', 'wiki'])
})
