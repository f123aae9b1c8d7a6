import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitSections } from '../search/split-sections.ts'
import { firstLines } from './first-lines.ts'
import { renderMarkdown } from './render-markdown.ts'

const LENGTH = 256 * 1024
const fill = (piece: string): string => piece.repeat(Math.floor(LENGTH / piece.length))

const HOSTILE: Record<string, string> = {
  'quotes in quotes': `${fill('> ')}x`,
  'lists in lists': fill('- '),
  'lists in quotes': fill('> - '),
  'headings without text': fill('#\n'),
  'underlined headings': fill('a\n=\n'),
  'rows of a table': `| a | b |\n|-|-|\n${fill('a\n')}`,
  'tables of one row': fill('a|\n-|\n'),
  'cells of one row': `${fill('|')}\n${fill('|-')}`,
  'emphasis that never ends': fill('*a **a '),
  'code that never ends': fill('`a``'),
  'links that never end': fill('[a]('),
  'wikilinks that never end': fill('[[a|'),
  'images in images': fill('!['),
  'definitions of links': fill('[a]: b\n'),
  addresses: fill('http://a.b/('),
  entities: fill('&#x'),
  'tags, nested': fill('<div>'),
  'line ends': fill('\n'),
}

const PIECES = fc.constantFrom(
  ...['[', '![', '](', '[a](', '[[', '[[a|', ']]', '*', '**a', '_a', '`', '```', '```\n', '<', '>'],
  ...['> ', '- ', '1. ', '    ', '\t', '# ', '#\n', '|', '|-|\n', 'a|\n', '~~', '&', '&#x', '\\'],
  ...[
    'a\n=\n',
    '---\n',
    '\n',
    '\n\n',
    '\r',
    '\u0000',
    '\u2028',
    'http://a.b/',
    'a',
    ' ',
    '[a]: b\n',
  ],
)
const GENERATED = fc
  .array(fc.tuple(PIECES, fc.integer({ min: 1, max: 300 })), { maxLength: 10 })
  .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))

const ports = { resolveName: () => '/knowledge/Ideas/x', resolvePath: () => '/wiki/docs/x' }

const check = (text: string): void => {
  const { html, headings } = renderMarkdown(text, ports)
  expect(html).not.toMatch(/<(?:script|img|div|iframe)\b/)
  expect(new Set(headings.map(({ anchor }) => anchor)).size).toBe(headings.length)
  const { summary, sections } = splitSections(text)
  expect(summary.length).toBeLessThanOrEqual(201)
  expect(sections.length).toBeLessThanOrEqual(50_001)
}

describe('hostile Markdown', () => {
  it.each(Object.entries(HOSTILE))('is rendered and split: %s', (_, text) => check(text))

  it('never throws, in 500 generated variations', () => {
    fc.assert(fc.property(GENERATED, check), { numRuns: 500, seed: 17 })
  })

  it('is cut at a number of lines, and the text below them is still found', () => {
    const text = `${'# a\n'.repeat(60_000)}needle`
    const { cut, headings } = renderMarkdown(text)
    expect([cut, headings.length]).toEqual([true, 20_000])
    const { sections } = splitSections(text)
    expect(sections).toHaveLength(50_000)
    expect(sections.at(-1)?.text).toContain('needle')
  })
})

describe('firstLines', () => {
  it.each([
    ['a\nb\nc', 2, 'a\nb'],
    ['a\nb\nc', 3, 'a\nb\nc'],
    ['a\nb\n', 2, 'a\nb'],
    ['', 1, ''],
    ['\n\n\n', 1, ''],
  ])('of %j, at most %i: %j', (text, most, expected) => {
    expect(firstLines(text, most)).toBe(expected)
  })
})
