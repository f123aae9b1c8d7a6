import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { type HttpEnv, mountRoutes } from './routes.ts'

const answerWith = (text: string) => async () => new Response(text)
const mount = (routes: Parameters<typeof mountRoutes>[1]) => {
  const app = new Hono<HttpEnv>()
  mountRoutes(app, routes, (_, allowed) => new Response(allowed.join(' '), { status: 405 }))
  return async (path: string, method = 'GET') => (await app.request(path, { method })).text()
}

test('a fixed path is served before one with a parameter, in whatever order they are listed', async () => {
  const ask = mount([
    { methods: ['GET'], paths: ['/wiki/:name'], answer: answerWith('document') },
    { methods: ['GET'], paths: ['/wiki/search'], answer: answerWith('search') },
  ])
  expect(await ask('/wiki/search')).toBe('search')
  expect(await ask('/wiki/other')).toBe('document')
})

test('another method is refused with every method that the path allows', async () => {
  const ask = mount([
    { methods: ['GET'], allowed: ['GET', 'HEAD'], paths: ['/a'], answer: answerWith('read') },
    { methods: ['POST'], paths: ['/a', '/b'], answer: answerWith('written') },
  ])
  expect(await ask('/a', 'POST')).toBe('written')
  expect(await ask('/a', 'DELETE')).toBe('GET HEAD POST')
  expect(await ask('/b', 'DELETE')).toBe('POST')
})
