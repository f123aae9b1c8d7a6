import { expect, it } from 'vitest'
import { parseYaml } from './assistant-yaml.ts'

it('reads files that are indented as usual', () => {
  const text = `a:\n  - b: 1\n${' '.repeat(4)}c:\n${' '.repeat(6)}- - 2\n`
  expect(parseYaml(text, 'x.yaml').toJS()).toEqual({ a: [{ b: 1, c: [[2]] }] })
})

it.each([
  ['dashes', '- '.repeat(60)],
  ['blanks', ' '.repeat(120)],
  ['both', '-   '.repeat(30)],
])('refuses deep indentation by %s', (_, start) => {
  expect(() => parseYaml(`a: 1\n${start}b`, 'x.yaml')).toThrow('nested too deeply')
})

it('counts indentation once', () => {
  // Trying every way to divide the blanks would not end, so the test only checks that this returns.
  expect(() => parseYaml(`${' '.repeat(118)}b: 1\n`, 'x.yaml')).not.toThrow()
})
