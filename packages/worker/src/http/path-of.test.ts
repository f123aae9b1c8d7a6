import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pathOf } from './path-of.ts'

it.each([
  ['http://127.0.0.1:8787/', '/'],
  ['https://internal/', '/'],
  ['https://internal/health', '/health'],
  ['https://internal/a/../health', '/health'],
  ['https://internal//', '//'],
  ['https://internal/?a=/', '/'],
  ['https://internal?a=/', '/'],
  ['https://internal\\health/', '/health/'],
])('%s has the path %s', (url, path) => {
  expect(pathOf(url)).toBe(path)
})

it('agrees with the parser for any address', () => {
  const part = fc.stringMatching(/^[/\\.?#@:a-z%2]{0,8}$/)
  fc.assert(
    fc.property(part, part, (host, rest) => {
      const url = `https://h${host}/${rest}`
      fc.pre(URL.canParse(url))
      expect(pathOf(url)).toBe(new URL(url).pathname)
    }),
    { numRuns: 2000 },
  )
})
