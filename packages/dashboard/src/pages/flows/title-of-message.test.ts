import { expect, it } from 'vitest'
import { titleOfMessage } from './title-of-message.ts'

it('calls a message by its item, whatever it holds', () => {
  const title = (body: unknown) => titleOfMessage({ id: 'm1', body })
  expect(title({ item: { title: 'Storm', id: 'a' } })).toBe('Storm')
  expect(title({ item: { title: null, id: 'a' } })).toBe('a')
  expect(title({ item: 3 })).toBe('m1')
  expect(title(null)).toBe('m1')
})
