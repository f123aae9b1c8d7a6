import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeInline, escapeLine, escapeParagraphs, linkTo } from './markdown.ts'

test('Markdown markup is literal, and plain prose is unchanged', () => {
  expect(escapeInline('A *bold* [link](javascript:x) <b>')).toBe(
    'A \\*bold\\* \\[link\\](javascript:x) \\<b\\>',
  )
  expect(escapeInline('snake_case isn’t touched, _this_ is; AT&T but \\&amp;')).toBe(
    'snake_case isn’t touched, \\_this\\_ is; AT&T but \\\\\\&amp;',
  )
  expect(escapeInline("It's 5 - 3 = 2, C# and 3.5% (really)!")).toBe(
    "It's 5 - 3 = 2, C# and 3.5% (really)!",
  )
})

test('a line cannot become a heading, a list or a rule', () => {
  expect(escapeLine('# Title')).toBe('\\# Title')
  expect(escapeLine('- point')).toBe('\\- point')
  expect(escapeLine('2. point')).toBe('2\\. point')
  expect(escapeParagraphs('One\nline.\n\n---\n\n> two')).toBe('One line.\n\n\\---\n\n\\> two')
})

test('only web addresses become links, and none can break out of one', () => {
  expect(linkTo('A [title]', 'https://example.org/a_(b) c')).toBe(
    '[A \\[title\\]](https://example.org/a_%28b%29%20c)',
  )
  expect(linkTo('x', 'javascript:alert(1)')).toBe('x')
  expect(linkTo('x', 'data:text/html,<script>')).toBe('x')
  expect(linkTo('x', 'not an address')).toBe('x')
})

test('no text whatsoever leaves an unescaped bracket, tag or line break', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const bare = escapeLine(text).replace(/\\[^\w\s]/g, '')
      expect(bare).not.toMatch(/[`*[\]<>|\n\r]/)
    }),
  )
})

test('no address whatsoever ends its link early', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string(),
      (base, tail) => {
        expect(linkTo('x', base + tail)).toMatch(/^(x|\[x\]\(https?:[^()<>\s]*\))$/)
      },
    ),
  )
})
