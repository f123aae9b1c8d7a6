import { describe, expect, it } from 'vitest'
import { suggestOptions } from './suggest-options.ts'

const OPTIONS = ['local', 'mode', 'input', 'json', 'quiet']
const check =
  (key: string, declared: string[] = []) =>
  () =>
    suggestOptions([key], new Map(declared.map((name) => [name, 'string'])), OPTIONS)

describe('suggestOptions', () => {
  it.each(['locla', 'loca', 'locall', 'qiuet', 'inptu', 'jsn'])('takes --%s for a slip', (key) => {
    expect(check(key)).toThrow(/did you mean --/)
  })

  it.each(['note', 'code', 'url', 'content', 'title'])('takes --%s for a field', (key) => {
    expect(check(key)).not.toThrow()
  })

  it('believes what an action declares', () => {
    expect(check('locall', ['locall'])).not.toThrow()
  })
})
