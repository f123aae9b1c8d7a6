import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFlags } from './parse-flags.ts'

const flagsOf = (...words: string[]) => Object.fromEntries(parseFlags(words).flags)

describe('parseFlags', () => {
  it('reads pairs, equals signs and bare flags', () => {
    expect(flagsOf('--url', 'https://x', '--title=a=b', '--deep')).toEqual({
      url: 'https://x',
      title: 'a=b',
      deep: true,
    })
    expect(flagsOf('--deep', '--below', '-5')).toEqual({ deep: true, below: '-5' })
  })

  it('accepts one word as the JSON input', () => {
    expect(parseFlags(['{"a":1}', '--title', 'x']).positional).toBe('{"a":1}')
    expect(parseFlags(['--title', 'x', '{"a":1}']).positional).toBe('{"a":1}')
    expect(() => parseFlags(['{}', 'left-over'])).toThrow(/"left-over" is unexpected/)
  })

  it('keeps any value that is written with an equals sign', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(flagsOf(`--key=${value}`)).toEqual({ key: value })
      }),
    )
  })
})
