import type { CatalogEntry, CatalogView } from '@steward/contract'
import { expect, it } from 'vitest'
import { chainOf, summariseEnds } from './chain.ts'

const entry = (name: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
  name,
  description: `${name}.`,
  origin: 'user',
  overrides: false,
  ...more,
})
const catalog: CatalogView = {
  actions: [entry('A_READ_IT', { requires: ['fetch'] }), entry('A_BREAK_IT', { error: 'no' })],
  pipelines: [entry('P_ALL', { actions: ['A_READ_IT', 'A_BREAK_IT', 'A_GONE_NOW'] })],
  flows: [],
  errors: [],
}

it('draws a flow from its source through its pipeline to its destination', () => {
  const flow = entry('F_ALL', {
    pipeline: 'P_ALL',
    source: { type: 'rss', where: 'feed.xml' },
    destination: { type: 'file', where: 'out.md' },
    loop: { field: 'score', op: 'gte', value: 85, maxIterations: 5 },
  })
  expect(chainOf(flow, catalog)).toMatchObject({
    source: { title: 'rss', text: 'feed.xml' },
    pipeline: 'P_ALL',
    actions: [
      { title: 'A_READ_IT', requires: ['fetch'], isKnown: true },
      { title: 'A_BREAK_IT', isKnown: false },
      { title: 'A_GONE_NOW', text: 'There is no such action.', isKnown: false },
    ],
    destination: { title: 'file', text: 'out.md' },
    loop: 'until score ≥ 85, 5 times at most',
  })
})

it('draws all ends of a flow that has several, and how it collects', () => {
  const sources = ['a.xml', 'b.xml'].map((where) => ({ type: 'rss', where }))
  const destinations = [
    { type: 'email', where: 'me@example.com' },
    { type: 'file', where: 'out.md' },
  ]
  const flow = entry('F_ALL', { pipeline: 'P_ALL', sources, destinations, digest: 'one per day' })
  expect(chainOf(flow, catalog)).toMatchObject({
    sources: [{ text: 'a.xml' }, { text: 'b.xml' }],
    destinations: [{ title: 'email' }, { title: 'file' }],
    digest: 'one per day',
  })
  expect([summariseEnds(sources), summariseEnds(destinations), summariseEnds([])]).toEqual([
    '2 rss',
    'email, file',
    '?',
  ])
})

it('draws a pipeline as its actions alone', () => {
  const chain = chainOf(entry('P_ALL', { actions: ['A_READ_IT'] }), catalog)
  expect(chain).toMatchObject({ source: undefined, destination: undefined, loop: undefined })
  expect(chain.actions).toHaveLength(1)
})
