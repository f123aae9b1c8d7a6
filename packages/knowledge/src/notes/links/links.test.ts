import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slugify } from '../slugify.ts'
import { findLinks } from './find-links.ts'
import { relink } from './relink.ts'

const targetsOf = (text: string) => findLinks(text, 'Ideas').map(({ target }) => target)

describe('links in a text', () => {
  it('finds wiki links and relative Markdown links by target', () => {
    const text =
      'See [[one]], [[Ideas/two|words]], ![[three#part]] and [x](../People/ada.md#born), [y](four.md "t").'
    expect(targetsOf(text)).toEqual(['one', 'Ideas/two', 'three', 'People/ada', 'Ideas/four'])
  })

  it('ignores code, outside links and links across lines', () => {
    const text =
      '`[[a]]` ``x ` [[b]]`` [[c]] `[[d]]\n```\n[[e]]\n```\n~~~~\n[[f]]\n~~~\n[[g]]\n~~~~\n' +
      '[z](https://x.org/a.md) [z](/a.md) [z](../../STATE/a.md) [z](mailto:a.md) [[h\ni]] [[j]]'
    expect(targetsOf(text)).toEqual(['c', 'd', 'j'])
  })

  it('are changed where needed, and nothing else is', () => {
    const text = 'a [[old]] b [[Ideas/old#h|x]] c [t](old.md) d [[Some Title]] `[[old]]`'
    const places = new Map([
      ['old', 'new'],
      ['Ideas/old', 'new'],
      ['Some Title', 'other'],
    ])
    const relinked = relink(text, { from: 'Ideas', to: 'Research' }, ({ target }) => {
      const slug = places.get(target)
      return slug === undefined ? undefined : { domain: 'Ideas', slug }
    })
    expect(relinked).toBe(
      'a [[Ideas/new]] b [[Ideas/new#h|x]] c [t](../Ideas/new.md) d [[Ideas/other|Some Title]] `[[old]]`',
    )
  })

  it('have correct positions in any text', () => {
    const piece = fc.constantFrom(
      '[[',
      ']]',
      '|',
      '#',
      'a',
      '`',
      '\n',
      '```',
      '](',
      'b.md',
      ')',
      '[',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const text = pieces.join('')
        for (const { kind, start, end } of findLinks(text, 'Ideas')) {
          expect(text.slice(0, start)).toMatch(kind === 'wiki' ? /\[\[$/ : /\]\([ \t]*<?$/)
          expect(end).toBeGreaterThan(start)
        }
        expect(relink(text, { from: 'Ideas', to: 'Ideas' }, () => undefined)).toBe(text)
      }),
    )
  })
})

describe('slugs', () => {
  it('are plain for any title, and the same for both ways to write an accent', () => {
    expect(['Ada Lovelace', 'Größe & Co.', 'Ångström', "It's", '__proto__'].map(slugify)).toEqual([
      'ada-lovelace',
      'grosse-co',
      'angstrom',
      'its',
      'proto',
    ])
    expect(slugify('café'.normalize('NFD'))).toBe(slugify('café'.normalize('NFC')))
    expect(slugify('東京')).toMatch(/^note-[0-9a-f]{8}$/)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (title) => {
        expect(slugify(title)).toMatch(/^[a-z0-9][a-z0-9-]{0,119}$/)
      }),
    )
  })
})
