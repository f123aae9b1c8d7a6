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
  actions: [],
  pipelines: [
    entry('P_ALL', {
      steps: [
        { path: '1', kind: 'action', title: 'A_READ_IT' },
        { path: '2', kind: 'when', title: 'score > 3' },
      ],
    }),
  ],
  flows: [],
  errors: [],
}

it('draws a flow from its source through its pipeline to its destination', () => {
  const flow = entry('F_ALL', {
    pipeline: 'P_ALL',
    source: { type: 'rss', where: 'feed.xml' },
    destination: { type: 'file', where: 'out.md' },
    filter: 'words > 9',
    loop: { field: 'score', op: 'gte', value: 85, maxIterations: 5 },
  })
  expect(chainOf(flow, catalog)).toMatchObject({
    sources: [{ title: 'rss', text: 'feed.xml' }],
    filter: 'words > 9',
    pipeline: 'P_ALL',
    steps: [{ title: 'A_READ_IT' }, { kind: 'when' }],
    destinations: [{ title: 'file', text: 'out.md' }],
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

it('draws a pipeline as its steps alone', () => {
  const chain = chainOf(
    entry('P_ALL', { steps: [{ path: '1', kind: 'action', title: 'A_READ_IT' }] }),
    catalog,
  )
  expect(chain).toMatchObject({ sources: [], destinations: [], loop: undefined })
  expect(chain.steps).toHaveLength(1)
})
