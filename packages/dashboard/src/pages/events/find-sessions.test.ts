import { expect, it } from 'vitest'
import { splitQuery } from './find-sessions.ts'

const HOSTS = ['claude', 'codex', 'gemini']

it("takes the beginning of an assistant's name as the assistant", () => {
  expect(splitQuery('codex', HOSTS)).toEqual({ host: 'codex' })
  expect(splitQuery('Clau gauge', HOSTS)).toEqual({ host: 'claude', q: 'gauge' })
})

it('searches all other words', () => {
  expect(splitQuery('  night   gauge ', HOSTS)).toEqual({ q: 'night gauge' })
  expect(splitQuery('co', HOSTS)).toEqual({ q: 'co' })
  expect(splitQuery('', HOSTS)).toEqual({})
})
