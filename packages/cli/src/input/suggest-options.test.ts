import { describe, expect, it } from 'vitest'
import { suggestOptions } from './suggest-options.ts'

const OPTIONS = ['local', 'mode', 'input', 'json', 'quiet']
const check =
  (key: string, declared: string[] = []) =>
  () =>
    suggestOptions([key], new Map(declared.map((name) => [name, 'string'])), OPTIONS)

describe('suggestOptions', () => {
  it.each(['locla', 'loca', 'locall', 'qiuet', 'inptu', 'jsn'])(
    'suggests an option for --%s',
    (key) => {
      expect(check(key)).toThrow(/did you mean --/)
    },
  )

  it.each(['note', 'code', 'url', 'content', 'title'])('accepts --%s as a field', (key) => {
    expect(check(key)).not.toThrow()
  })

  it('accepts a field that an action declares', () => {
    expect(check('locall', ['locall'])).not.toThrow()
  })
})
