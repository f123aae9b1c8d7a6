import { expect, it } from 'vitest'
import type { News } from './news.ts'
import { createNewsWatch } from './news-watch.ts'

const newsOf = (id: string): News => ({ id, title: id, body: '', href: '/today' })

const openWatch = () => {
  const there: string[] = []
  const shown: string[] = []
  const faults: unknown[] = []
  let reads = 0
  let failing = false
  const watch = createNewsWatch({
    read: async () => {
      reads += 1
      if (failing) throw new Error('away')
      return there.map(newsOf)
    },
    show: ({ id }) => shown.push(id),
    onFault: (thrown) => faults.push(thrown),
  })
  return {
    ...watch,
    there,
    shown,
    faults,
    reads: () => reads,
    fail: (now: boolean) => {
      failing = now
    },
  }
}

it('shows what appeared after the person looked away, once', async () => {
  const { begin, look, there, shown } = openWatch()
  there.push('old')
  await begin()
  await look()
  expect(shown).toEqual([])
  there.push('new')
  await look()
  await look()
  expect(shown).toEqual(['new'])
})

it('does not repeat what disappeared and came back, nor what the person has seen', async () => {
  const { begin, look, there, shown } = openWatch()
  await begin()
  there.push('one')
  await look()
  there.length = 0
  await look()
  there.push('one', 'two')
  await begin()
  await look()
  expect(shown).toEqual(['one'])
})

it('looks once more for any number of changes, and after its beginning', async () => {
  const { begin, look, there, shown, reads } = openWatch()
  void begin()
  there.push('at once')
  await Promise.all([look(), look(), look()])
  expect(reads()).toBe(2)
  expect(shown).toEqual([])
})

it('a daemon that was away causes no news', async () => {
  const { begin, look, there, shown, faults, fail } = openWatch()
  there.push('old')
  fail(true)
  await begin()
  await look()
  fail(false)
  await look()
  expect(shown).toEqual([])
  expect(faults).toHaveLength(2)
  there.push('new')
  await look()
  expect(shown).toEqual(['new'])
})
