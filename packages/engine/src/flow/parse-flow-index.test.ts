import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseFlowIndex } from './parse-flow-index.ts'

const entry = {
  id: 'flow-one',
  name: 'F_FEED_DIGEST',
  source: { type: 'feeds' },
  destination: { type: 'queue', queue: 'items' },
  schedule: { intervalMinutes: 5, enabled: true },
}

const errorsOf = (value: unknown): string[] => {
  const { flows, error } = parseFlowIndex(JSON.stringify(value, null, 1), 'f.json')
  return [error, ...flows.map((flow) => ('error' in flow ? flow.error : undefined))].flatMap(
    (found) => (found === undefined ? [] : [found.message]),
  )
}

it('reports fields that do not go together beside other mistakes', () => {
  expect(errorsOf({ flows: [{ ...entry, pipeline: 'P_X', extra: 1, schedule: {} }] })).toEqual([
    'f.json: line 13: flows[0].schedule: needs one of intervalMinutes, every, at, cron; line 15: flows[0].extra: unknown key; line 14: flows[0].pipeline: a feeds source only enqueues: give it to the flow that takes the queue',
  ])
})

it('reports mistakes of the file beside those of its entries', () => {
  const errors = errorsOf({ flow: [], flows: [{ ...entry, extra: 1 }, entry] })
  expect(errors).toEqual([
    expect.stringContaining('line 2: flow: unknown key (did you mean flows?)'),
    expect.stringContaining('flows[0].extra: unknown key'),
    expect.stringMatching(/flows\[1\]\.id: flow-one is used twice; .*F_FEED_DIGEST is used twice/),
  ])
})

it('reads any text without throwing', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseFlowIndex(text, 'f.json')))
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.jsonValue(), fc.record({ flows: fc.array(tie('any')) })),
  })).any
  fc.assert(fc.property(value, (any) => void parseFlowIndex(JSON.stringify(any), 'f.json')))
})

it('time zones and cron expressions are checked, with their line', () => {
  const text = JSON.stringify(
    {
      flows: [
        {
          id: 'a',
          name: 'F_A_B',
          source: { type: 'rss', url: 'https://example.com/feed' },
          pipeline: 'P_LABEL_AND_RATE',
          destination: { type: 'file', path: 'a.md' },
          schedule: { cron: '0 25 * * *', timezone: 'Europe/Berln', runsOn: 'here' },
        },
      ],
    },
    null,
    2,
  )
  const [flow] = parseFlowIndex(text, 'f.json').flows
  expect(flow !== undefined && 'error' in flow ? flow.error.message : '').toMatch(
    /^f\.json: line 17: flows\[0\]\.schedule\.timezone: Europe\/Berln is not a time zone .*\(did you mean Europe\/Berlin\?\); line 16: flows\[0\]\.schedule\.cron: .*hour: found 25/,
  )
})

const paper = {
  id: 'paper',
  name: 'F_PAPER',
  sources: ['a.xml', 'b.xml'].map((url) => ({ type: 'rss', url })),
  filter: 'title.size() > 3',
  with: { language: 'en' },
  pipeline: 'P_PAPER',
  digest: { title: '{count}', order: 'rating desc, title', maxItems: 12, window: 'day' },
  destinations: [
    { type: 'email', address: 'me@example.com' },
    { type: 'queue', queue: 'papers' },
  ],
  schedule: { intervalMinutes: 5 },
}
const queue = { type: 'queue', queue: 'papers' }

it.each<[wrong: object, message: string]>([
  [{ sources: [...paper.sources, queue] }, 'sources[2]: a queue source must be the only one'],
  [{ sources: [] }, 'sources: needs at least one source'],
  [{ sources: [paper.sources[0], paper.sources[0]] }, 'sources[1]: is listed twice'],
  [{ source: paper.sources[0] }, 'sources: cannot be combined with source'],
  [{ sources: undefined }, 'source: is required (an object), or sources (an array)'],
  [{ destinations: undefined }, 'destination: is required (an object), or destinations (an array)'],
  [
    { sources: undefined, source: queue, digest: undefined },
    'destinations[1]: it would feed itself',
  ],
  [
    { sources: undefined, source: queue, destinations: [paper.destinations[0]] },
    'digest: a queue source cannot',
  ],
  [{ filter: 'title.size( > 3' }, 'filter: unexpected token'],
  [{ filter: 'title.size()' }, 'filter: must be true or false, found int'],
  [{ digest: { order: 'rating down' } }, 'digest.order: must be fields with asc or desc'],
  [{ digest: { window: 'month' } }, 'digest.window: must be run, day, week, or a duration'],
  [{ digest: { titel: 'x' } }, 'digest.titel: unknown key (did you mean title?)'],
  [{ sources: [{ type: 'rss', ulr: 'x' }] }, 'sources[0].ulr: unknown key (did you mean url?)'],
  [
    { destination: undefined, destinations: [queue], pipeline: undefined },
    'with: needs a pipeline',
  ],
])('a flow with several ends refuses %j', (wrong, message) => {
  expect(errorsOf({ flows: [paper] })).toEqual([])
  expect(errorsOf({ flows: [{ ...paper, ...wrong }] })).toEqual([
    expect.stringContaining(`flows[0].${message}`),
  ])
})
