import { expect, test } from 'vitest'
import { createKeptViews } from './kept-views.ts'
import { emptyView } from './log-view.ts'

const lease = (sessionId: string, epoch: number) => ({ sessionId, owner: 'one', epoch, untilMs: 0 })

test('a view is kept for the next lease and used once', () => {
  const views = createKeptViews(2)
  const view = emptyView()
  views.keep(lease('a', 4), view)
  expect(views.take(lease('a', 5))).toBe(view)
  expect(views.take(lease('a', 5))).toBeUndefined()
})

test('discards a view if another brain held the session in between', () => {
  const views = createKeptViews(2)
  views.keep(lease('a', 4), emptyView())
  expect(views.take(lease('a', 6))).toBeUndefined()
})

test('drops the least recently released views first', () => {
  const views = createKeptViews(2)
  for (const id of ['a', 'b', 'a', 'c']) views.keep(lease(id, 1), emptyView())
  expect(views.take(lease('b', 2))).toBeUndefined()
  expect(views.take(lease('a', 2))).toBeDefined()
  expect(views.take(lease('c', 2))).toBeDefined()
})
