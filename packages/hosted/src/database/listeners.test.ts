import { expect, test } from 'vitest'
import { createListeners } from './listeners.ts'

test('a subscriber to one session is called for that session only, until it unsubscribes', () => {
  const listeners = createListeners()
  const heard: string[] = []
  listeners.add(({ sessionId }) => heard.push(`all ${sessionId}`))
  const stop = listeners.add(({ sessionId }) => heard.push(`one ${sessionId}`), 'a')
  const again = listeners.add(({ sessionId }) => heard.push(`again ${sessionId}`), 'a')
  listeners.tell({ sessionId: 'a', news: { type: 'deleted' } })
  listeners.tell({ sessionId: 'b', news: { type: 'deleted' } })
  stop()
  listeners.tell({ sessionId: 'a', news: { type: 'deleted' } })
  again()
  listeners.tell({ sessionId: 'a', news: { type: 'deleted' } })
  expect(heard).toEqual(['all a', 'one a', 'again a', 'all b', 'all a', 'again a', 'all a'])
})
