import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hrefOfEntry, hrefOfRun, readView } from './read-view.ts'

it('parses the pages below /flows', () => {
  expect(readView('/flows')).toEqual({ kind: 'home' })
  expect(readView('/flows/')).toEqual({ kind: 'home' })
  expect(readView('/flows/F_NEWS')).toEqual({ kind: 'entry', name: 'F_NEWS' })
  expect(readView('/flows/runs/01a1')).toEqual({ kind: 'run', id: '01a1' })
})

it('rejects invalid addresses', () => {
  for (const path of ['/flows/runs', '/flows/news', '/flows/F_NEWS/more', '/flows/runs/1/2']) {
    expect(readView(path)).toEqual({ kind: 'unknown' })
  }
})

it('reads back every link that it makes, and accepts every address', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const id = text.replaceAll(/[\uD800-\uDFFF]/g, 'x')
      expect(readView(hrefOfRun(id))).toEqual({ kind: 'run', id })
      expect(readView(hrefOfEntry(`A_${id}`))).toEqual({ kind: 'entry', name: `A_${id}` })
      readView(`/flows/${text}`)
    }),
  )
})
