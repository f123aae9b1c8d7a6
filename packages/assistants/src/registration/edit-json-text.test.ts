import { parseJsonc } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setMember } from './edit-json-text.ts'

const TEXT = `// mine
{
    "theme": "dark", // at night
    /* the "hooks": { } of others */
    "hooks": { "Stop": [] },
    "url": "http://x/" // last
}
`

describe('setMember', () => {
  it('changes one member and keeps every other character', () => {
    expect(setMember(TEXT, 'hooks', { A: 1 })).toBe(
      TEXT.replace('{ "Stop": [] }', '{\n        "A": 1\n    }'),
    )
    expect(setMember(TEXT, 'hooks', undefined)).toBe(
      TEXT.replace('"hooks": { "Stop": [] },\n    ', ''),
    )
    expect(setMember(TEXT, 'url', undefined)).toBe(TEXT.replace('},\n    "url": "http://x/"', '}'))
    expect(setMember(TEXT, 'more', 1)).toBe(
      TEXT.replace('"http://x/"', '"http://x/",\n    "more": 1'),
    )
    expect(setMember('{ // none\n}', 'hooks', {})).toContain('// none')
    expect(setMember(TEXT, 'gone', undefined)).toBe(TEXT)
  })

  it('sets and removes any member of any object', () => {
    const name = fc.oneof(fc.constantFrom('hooks', 'a', '//', '/*', '}', ','), fc.string())
    const object = fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true })
    const gap = fc.constantFrom('', ' // one\n', '/* , } */', '\n  ')
    fc.assert(
      fc.property(
        object,
        gap,
        fc.option(fc.jsonValue(), { nil: undefined }),
        (given, note, value) => {
          const members = Object.entries(given).map(
            ([key, each]) => `${note}${JSON.stringify(key)}${note}:${JSON.stringify(each)}${note}`,
          )
          const text = `${note}{${members.join(',')}${note}}${note}`
          const { hooks: _hooks, ...rest } = JSON.parse(JSON.stringify(given))
          const expected =
            value === undefined ? rest : { ...rest, hooks: JSON.parse(JSON.stringify(value)) }
          expect(parseJsonc(setMember(text, 'hooks', value), 'x')).toEqual({
            ok: true,
            value: expected,
          })
        },
      ),
    )
  })
})
