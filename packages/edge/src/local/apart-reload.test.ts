import { fail, StewardError } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEdge, type TestEdge } from './testing/start-edge.ts'
import { START_LIMIT_MS } from './testing/start-workers.ts'

const answering = (text: string): string =>
  `export default { fetch: () => Response.json({ text: '${text}' }) }`
const worker = (code: string) => ({ code, apart: true })
let edge: TestEdge

beforeAll(async () => {
  edge = await startTestEdge({
    workers: { 'a-say-it': worker(answering('first')), 'a-say-more': worker(answering('more')) },
    sandboxRunner: {
      start: async () => fail(new StewardError('sandbox_unavailable', { reason: 'none here' })),
    },
  })
}, START_LIMIT_MS)

afterAll(async () => {
  await edge.stop()
  // The path of workerd is global to the process, which other test files share.
  delete process.env.MINIFLARE_WORKERD_PATH
})

it('a worker in its own process is replaced, or keeps its version if the new one does not load', async () => {
  expect(await edge.call('a-say-it', '/')).toEqual({ status: 200, body: { text: 'first' } })
  edge.write('a-say-it', worker(answering('second')))
  expect(await edge.edge.reload()).toEqual(['exec-a-say-it'])
  expect(await edge.call('a-say-it', '/')).toEqual({ status: 200, body: { text: 'second' } })
  edge.write('a-say-it', worker(`throw new Error('not at home')\n${answering('third')}`))
  await edge.edge.reload()
  expect(edge.warnings.join('\n')).toMatch(
    /A_SAY_IT cannot be loaded, the previous version keeps running: .*not at home/s,
  )
  expect(await edge.call('a-say-it', '/')).toEqual({ status: 200, body: { text: 'second' } })
  expect(await edge.call('a-say-more', '/')).toEqual({ status: 200, body: { text: 'more' } })
}, 60_000)
