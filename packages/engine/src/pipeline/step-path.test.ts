import { describe, expect, it } from 'vitest'
import { containerOf, dependsOn, isStepPath, sortByPath, sourceOf } from './step-path.ts'

describe('paths of steps', () => {
  it('sort like the definition', () => {
    const sorted = [
      '1',
      '1.onError.1',
      '2',
      '2.each[2].1',
      '2.each[10].1',
      '10',
      '10.parallel[1].2',
    ]
    const mixed = [3, 1, 6, 0, 5, 2, 4].map((at) => ({ path: sorted[at] ?? '' }))
    expect(sortByPath(mixed).map(({ path }) => path)).toEqual(sorted)
  })

  it('know their source and their container', () => {
    expect(sourceOf('1')).toBeUndefined()
    expect(sourceOf('12')).toBe('11')
    expect(sourceOf('2.each[10].3')).toBe('2.each[10].2')
    expect(sourceOf('2.each[10].1')).toBe('2')
    expect(containerOf('2.each[10].3.onError.1')).toBe('2.each[10].3')
    expect(containerOf('2')).toBeUndefined()
  })

  it.each<[string, string, boolean]>([
    ['1', '2', false],
    ['3', '2', true],
    ['2', '2.each[4].1', true],
    ['2.each[4].1', '2.each[4].1', true],
    ['2.each[4].2', '2.each[4].1', true],
    ['2.each[5].2', '2.each[4].1', false],
    ['2.each[3].2', '2.each[4].1', false],
    ['2.each[4].1.onError.1', '2.each[4].1', true],
    ['3.parallel[1].1', '2.each[4].1', true],
    ['1.parallel[1].1', '2.each[4].1', false],
  ])('%s depends on %s: %s', (path, from, wanted) => {
    expect(dependsOn(path, from)).toBe(wanted)
  })

  it('have one form', () => {
    expect(['1', '12.parallel[2].1', '3.onError.1.each[4].2'].every(isStepPath)).toBe(true)
    expect(['0', '1.', 'a', '1.each.2', '1.each[0].1', '1.2'].some(isStepPath)).toBe(false)
  })
})
