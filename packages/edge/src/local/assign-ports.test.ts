import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignPorts } from './assign-ports.ts'

const names = fc.uniqueArray(fc.stringMatching(/^exec-[apf]-[a-z]{1,4}$/), { maxLength: 12 })

test('the first time ports follow each other in name order', () => {
  expect(assignPorts(['exec-p-b', 'exec-a-a'], 8700, undefined).ports).toEqual({
    'exec-a-a': 8700,
    'exec-p-b': 8701,
  })
})

test('workers keep their ports, and no two share one', () => {
  fc.assert(
    fc.property(fc.array(names, { maxLength: 5 }), (starts) => {
      let memory = assignPorts([], 9000, undefined)
      for (const workers of starts) {
        const next = assignPorts(workers, 9000, memory)
        expect(next.ports).toMatchObject(memory.ports)
        expect(new Set(Object.values(next.ports)).size).toBe(Object.keys(next.ports).length)
        for (const worker of workers) expect(next.ports[worker]).toBeGreaterThanOrEqual(9000)
        memory = next
      }
    }),
  )
})

test('another base port starts again', () => {
  const before = assignPorts(['exec-a-b'], 8700, undefined)
  expect(assignPorts(['exec-a-a', 'exec-a-b'], 9000, before).ports).toEqual({
    'exec-a-a': 9000,
    'exec-a-b': 9001,
  })
})
