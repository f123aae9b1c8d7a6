import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { noScript, type RouteTable } from './platform-route.ts'

const consumerBody = z.looseObject({ type: z.literal('worker'), script_name: z.string() })

/** Queues and their consumers. */
export const QUEUE_ROUTES: RouteTable = [
  [
    'GET',
    '/queues',
    ({ state, request }) => {
      const wanted = request.query.get('name')
      const queues = [...state.queues.values()].filter(({ name }) => !wanted || name === wanted)
      return {
        result: queues.map(({ id, name, consumers }) => ({
          queue_id: id,
          queue_name: name,
          producers: [],
          producers_total_count: 0,
          consumers,
          consumers_total_count: consumers.length,
        })),
        pages: 1,
      }
    },
  ],
  [
    'POST',
    '/queues',
    ({ state, request }) => {
      const { queue_name: name } = z.looseObject({ queue_name: z.string() }).parse(request.json())
      if (state.queues.has(name)) return { status: 400, code: 11009, message: 'name is taken' }
      const id = randomUUID()
      state.queues.set(name, { id, name, consumers: [] })
      return { result: { queue_id: id, queue_name: name } }
    },
  ],
  [
    'DELETE',
    '/queues/(?<id>[^/]+)',
    ({ state, id }) => {
      const queue = [...state.queues.values()].find((each) => each.id === id)
      if (queue === undefined) return { status: 404, code: 11003, message: 'queue not found' }
      state.queues.delete(queue.name)
      return { result: {} }
    },
  ],
  [
    'GET',
    '/queues/(?<id>[^/]+)/consumers',
    ({ state, id }) => ({
      result: [...state.queues.values()].find((queue) => queue.id === id)?.consumers ?? [],
    }),
  ],
  [
    'POST',
    '/queues/(?<id>[^/]+)/consumers',
    ({ state, request, id }) => {
      const consumer = consumerBody.parse(request.json())
      const queue = [...state.queues.values()].find((each) => each.id === id)
      if (queue === undefined) return { status: 404, code: 11003, message: 'queue not found' }
      if (!state.scripts.has(consumer.script_name)) return noScript(consumer.script_name)
      queue.consumers.push({ consumer_id: randomUUID(), ...consumer })
      return { result: {} }
    },
  ],
  [
    'PUT',
    '/queues/(?<id>[^/]+)/consumers/[^/]+',
    ({ state, request, id }) => {
      const consumer = consumerBody.parse(request.json())
      const queue = [...state.queues.values()].find((each) => each.id === id)
      if (queue === undefined) return { status: 404, code: 11003, message: 'queue not found' }
      queue.consumers = [{ consumer_id: randomUUID(), ...consumer }]
      return { result: {} }
    },
  ],
]
