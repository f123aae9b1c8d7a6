import fc from 'fast-check'
import { expect, it } from 'vitest'
import { layOutGraph, MOST_NODES } from './lay-out-graph.ts'

const node = (id: string, backlinkCount = 0) => ({
  id,
  title: id,
  category: 'Ideas',
  backlinkCount,
})
const apart = (placed: { x: number; y: number }[]) =>
  Math.hypot((placed[0]?.x ?? 0) - (placed[1]?.x ?? 0), (placed[0]?.y ?? 0) - (placed[1]?.y ?? 0))

it('puts linked notes nearer than others, the same way each time', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => node(id))
  const edges = [{ source: 'a', target: 'b' }]
  const { nodes: placed } = layOutGraph(nodes, edges)
  const find = (id: string) => placed.filter((each) => each.id === id)
  const others = ['c', 'd', 'e', 'f'].map((id) => apart([...find('a'), ...find(id)]))
  expect(apart([...find('a'), ...find('b')])).toBeLessThan(Math.min(...others))
  expect(layOutGraph(nodes, edges)).toEqual(layOutGraph(nodes, edges))
})

it('shows the most linked when there are too many, and only links among them', () => {
  const nodes = Array.from({ length: 400 }, (_, index) => node(`n${index}`, index))
  const placed = layOutGraph(nodes, [{ source: 'n0', target: 'n399' }])
  expect(placed.nodes).toHaveLength(MOST_NODES)
  expect(placed.edges).toEqual([])
})

it('places any graph inside of the picture', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 20 })
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.tuple(fc.nat(25), fc.nat(25)), { maxLength: 40 }),
      (names, pairs) => {
        const edges = pairs.map(([from, to]) => ({
          source: names[from] ?? 'gone',
          target: names[to] ?? 'gone',
        }))
        for (const { x, y } of layOutGraph(
          names.map((id) => node(id)),
          edges,
        ).nodes) {
          expect(x >= 0 && x <= 1 && y >= 0 && y <= 1).toBe(true)
        }
      },
    ),
    { numRuns: 40 },
  )
})
