import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCircles } from './find-circles.ts'

const link = (from: string, to: string) => ({ file: `${from}/file.ts`, from, to })

describe('circles of folders', () => {
  it('are found when two folders import each other', () => {
    const [circle] = findCircles([link('a', 'b'), link('b', 'a'), link('a', 'c')])
    expect(circle).toEqual({ folders: ['a', 'b'], files: ['a/file.ts', 'b/file.ts'] })
  })

  it('are found through a third folder', () => {
    const [circle] = findCircles([link('a', 'b'), link('b', 'c'), link('c', 'a')])
    expect(circle?.folders).toEqual(['a', 'b', 'c'])
  })

  it('are not a folder that uses its own subfolder', () => {
    expect(findCircles([link('a', 'a/b'), link('a/b', 'a'), link('a', 'a')])).toEqual([])
  })

  it('never exist where every import points to a later folder', () => {
    const imports = fc.array(fc.tuple(fc.nat(20), fc.nat(20)))
    fc.assert(
      fc.property(imports, (pairs) => {
        const downward = pairs
          .filter(([one, other]) => one !== other)
          .map(([one, other]) => link(`f${Math.min(one, other)}`, `f${Math.max(one, other)}`))
        expect(findCircles(downward)).toEqual([])
      }),
    )
  })
})
