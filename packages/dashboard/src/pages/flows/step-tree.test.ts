import type { CatalogStep } from '@steward/contract'
import { expect, it } from 'vitest'
import { nestSteps } from './step-tree.ts'

const step = (path: string, kind: CatalogStep['kind'] = 'action'): CatalogStep => ({
  path,
  kind,
  title: path,
})

it('nests branches, loops and handlers of failures', () => {
  const [first, fork, loop] = nestSteps([
    step('1'),
    step('1.onError.1'),
    step('2', 'parallel'),
    step('2.parallel[1].1'),
    step('2.parallel[1].2'),
    step('2.parallel[2].1', 'each'),
    step('2.parallel[2].1.each.1'),
    step('3', 'each'),
    step('3.each.1'),
  ])
  expect(first?.onError.map(({ path }) => path)).toEqual(['1.onError.1'])
  expect(fork?.branches.map((branch) => branch.map(({ path }) => path))).toEqual([
    ['2.parallel[1].1', '2.parallel[1].2'],
    ['2.parallel[2].1'],
  ])
  expect(fork?.branches[1]?.[0]?.branches[0]?.[0]?.path).toBe('2.parallel[2].1.each.1')
  expect(loop?.branches).toHaveLength(1)
})

it('keeps plain steps in order', () => {
  expect(nestSteps([step('1'), step('2'), step('10')]).map(({ path }) => path)).toEqual([
    '1',
    '2',
    '10',
  ])
})
