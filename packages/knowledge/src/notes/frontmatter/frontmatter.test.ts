import { setFrontMatter, splitFrontMatter } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { readFields } from './read-fields.ts'
import { readSimpleFields } from './read-simple.ts'

const fieldsOf = (head: string) => Object.fromEntries(readFields(head).fields)

describe('reading frontmatter', () => {
  it('reads common forms, with all scalars as text', () => {
    const head =
      'title: "A: b"\nquality: 7\ntags: [a, \'b c\']\n# mine\naliases:\n  - One\n- Two\nempty:\n'
    expect(fieldsOf(head)).toEqual({
      title: 'A: b',
      quality: '7',
      tags: ['a', 'b c'],
      aliases: ['One', 'Two'],
      empty: '',
    })
  })

  it('reads the rest of YAML too', () => {
    const head = 'title: >\n  long\n  title\nrelated:\n  - [[ada]]\nnested: {a: 1}\nq: "\\u0041"\n'
    expect(fieldsOf(head)).toEqual({
      title: 'long title\n',
      related: ['[[ada]]'],
      nested: null,
      q: 'A',
    })
  })

  test.each([
    ['a bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\ntitle: T\n', 'anchors and aliases'],
    ['deep nesting', `title: T\na: ${'['.repeat(8000)}\n`, 'frontmatter'],
    ['broken lines', 'title: T\n: : :\n  - x: [\n', 'not valid YAML (line'],
    ['too much', `title: T\na: {${'x'.repeat(20_000)}}\n`, 'longer than'],
    ['a key twice', 'title: T\ntitle: U\n', 'unique'],
  ])('names %s, and still has the title', (_, head, reason) => {
    const reading = readFields(head)
    expect(reading.fault).toContain(reason)
    expect(reading.fields.get('title')).toBe('T')
  })

  it('parses quickly only what YAML parses the same', () => {
    const piece = fc.constantFrom(
      ...['a', ': ', ':', '#', ' #', '[', ']', ',', '"', "'", '- ', '&', '*', '\n', '  ', '|', '!'],
      ...['title: ', 'tags: [x, y]', '__proto__: p', '~', '1', '%', '\t', '\r\n', '{', '\\', '?'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const head = pieces.join('')
        const { fields, complete } = readSimpleFields(head)
        if (!complete) return
        const yaml: unknown = parse(head, { schema: 'failsafe', mapAsMap: true })
        expect([...fields]).toEqual(yaml instanceof Map ? [...yaml] : [])
      }),
      { numRuns: 3000, examples: [[['title: ', '\n', '\t']]] },
    )
  })
})

describe('changing frontmatter', () => {
  const text =
    '---\ntitle: Old # why\n# a comment\nodd: {a: 1}\ntags:\n  - a\n  - b\nlast: x\n---\n\nBody\n'

  it('changes the named fields and no other line', () => {
    expect(
      setFrontMatter(text, { title: 'New: x', tags: ['c', 'd e'], updated: '2026-01-01' }),
    ).toBe(
      '---\ntitle: "New: x"\n# a comment\nodd: {a: 1}\ntags: [c, d e]\nlast: x\nupdated: "2026-01-01"\n---\n\nBody\n',
    )
  })

  it('keeps line ends and the mark at the top', () => {
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`
    const changed = setFrontMatter(windows, { last: 'z' })
    expect(changed).toBe(windows.replace('last: x', 'last: z'))
  })

  it('gives a text without frontmatter one', () => {
    expect(setFrontMatter('# X\n', { title: 'X' })).toBe('---\ntitle: X\n---\n\n# X\n')
    expect(splitFrontMatter('---\nnever ends\n').fault).toContain('never ends')
  })

  it('reads back any text that it wrote', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((each) => each.toWellFormed()),
      fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
    )
    fc.assert(
      fc.property(value, (written) => {
        const { head } = splitFrontMatter(setFrontMatter(text, { title: written }))
        expect(readFields(head?.text ?? '').fields.get('title')).toEqual(written)
        expect(readFields(head?.text ?? '').fields.get('last')).toBe('x')
      }),
    )
  })
})
