import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMaterial } from './material.ts'
import { stem } from './words.ts'

describe('readMaterial', () => {
  it('uses the text between content tags, and the rest as the request', () => {
    const material = readMaterial(
      'Title: On tea\nSum up. <content>Tea is hot. Ice is not.</content>',
    )
    expect(material.sentences).toEqual(['Tea is hot.', 'Ice is not.'])
    expect(material.title).toBe('On tea')
    expect(material.request).toContain('Sum up.')
  })

  it('uses the whole prompt without tags', () => {
    expect(readMaterial('Tea is hot. Ice is not.').sentences).toHaveLength(2)
  })

  it('reads Markdown and HTML as prose', () => {
    const material = readMaterial(
      '<content># Tea\n\nTea is **hot** ([see](https://tea.example/a)).\n\n- First item\n- Second item\n\n```\ncode is no prose.\n```\n<h2><a href="#ice">Ice</a></h2><p>Ice &amp; snow are cold.</p><script>no()</script></content>',
    )
    expect(material.headings).toEqual(['Tea', 'Ice'])
    expect(material.title).toBe('Tea')
    expect(material.sentences).toEqual([
      'Tea is hot (see).',
      'First item',
      'Second item',
      'Ice & snow are cold.',
    ])
    expect(material).toMatchObject({ listItems: 2, urls: ['https://tea.example/a'] })
  })

  it('does not end a sentence at an abbreviation', () => {
    expect(
      readMaterial('Dr. Ruiz met Mr. J. Smith in the U.S. Senate. They spoke.').sentences,
    ).toEqual(['Dr. Ruiz met Mr. J. Smith in the U.S. Senate.', 'They spoke.'])
  })

  it('parses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(Array.isArray(readMaterial(text).sentences)).toBe(true)
      }),
    )
  })
})

it('reads hostile lines in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  const text = `# ${' #'.repeat(100_000)}x\n\n${'n'.repeat(200_000)}ing ${'7'.repeat(50_000)}`
  expect(readMaterial(text).headings).toHaveLength(1)
  expect(stem(`${'n'.repeat(200_000)}!`)).toHaveLength(200_001)
})
