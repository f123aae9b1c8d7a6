import { fail, StewardError } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEdge, type TestEdge, TOKEN } from './testing/start-edge.ts'
import { START_LIMIT_MS } from './testing/start-workers.ts'

const answering = (text: string): string =>
  `export default { fetch: () => Response.json({ text: '${text}' }) }`
const worker = (code: string) => ({ code, apart: true })
/** Counts its calls, in the shared process, and asks for its version and its action. */
const pipeline = (version: string) => ({
  code: `let calls = 0
    const read = async (service) => (await service.fetch('https://x/', { headers: { authorization: 'Bearer ${TOKEN}' } })).text()
    export default { fetch: async (request, env) => Response.json({
      calls: ++calls,
      version: await read(env.PIPELINE_VERSION),
      said: JSON.parse(await read(env.A_SAY_IT)).text,
    }) }`,
  configuration: {
    vars: { PIPELINE_VERSION: version },
    services: [{ binding: 'A_SAY_IT', service: 'exec-a-say-it' }],
  },
})
let edge: TestEdge

beforeAll(async () => {
  edge = await startTestEdge({
    workers: {
      'a-say-it': worker(answering('first')),
      'a-say-more': worker(answering('more')),
      'p-ask-it': pipeline('one'),
    },
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
  const asked = { calls: 1, version: 'one', said: 'first' }
  expect(await edge.call('p-ask-it', '/')).toEqual({ status: 200, body: asked })
  edge.write('a-say-it', worker(answering('second')))
  edge.write('p-ask-it', pipeline('two'))
  edge.write('a-say-new', worker(answering('new')))
  const changed = ['exec-a-say-it', 'exec-a-say-new', 'exec-p-ask-it']
  expect((await edge.edge.reload()).toSorted()).toEqual(changed)
  expect(await edge.call('a-say-it', '/')).toEqual({ status: 200, body: { text: 'second' } })
  // The shared process still counts, and knows the new version.
  const again = { calls: 2, version: 'two', said: 'second' }
  expect(await edge.call('p-ask-it', '/')).toEqual({ status: 200, body: again })
  edge.write('a-say-it', worker(`throw new Error('not at home')\n${answering('third')}`))
  await edge.edge.reload()
  expect(edge.warnings.join('\n')).toMatch(
    /A_SAY_IT cannot be loaded, the previous version keeps running: .*not at home/s,
  )
  expect(await edge.call('a-say-it', '/')).toEqual({ status: 200, body: { text: 'second' } })
  expect(await edge.call('a-say-more', '/')).toEqual({ status: 200, body: { text: 'more' } })
}, 60_000)
