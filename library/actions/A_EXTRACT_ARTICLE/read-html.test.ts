import { Readability } from '@mozilla/readability'
import { LIMITS, measureHtml } from '@steward/contract'
import fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { beforeEach, expect, test, vi } from 'vitest'
import { readHtml } from './read-html.ts'

vi.mock(import('linkedom'), async (load) => {
  const linkedom = await load()
  return { ...linkedom, parseHTML: vi.fn(linkedom.parseHTML) }
})
const findArticle = vi.spyOn(Readability.prototype, 'parse')
beforeEach(() => {
  vi.clearAllMocks()
})

test.each([
  ['a page', `<html><body>${'<div>'.repeat(1000)}text`],
  ['a large page', `<html><body>${'<div>'.repeat(300_000)}text`],
  ['a fragment', `${'<b>'.repeat(1000)}text`],
])('%s that is nested too deep is never parsed', async (_, html) => {
  await expect(readHtml(html, 'x')).rejects.toThrow(`more than ${LIMITS.htmlDepth} deep`)
  expect(parseHTML).not.toHaveBeenCalled()
})

test('a page with many deep elements is read whole, without looking for its article', async () => {
  const chain = `${'<div>'.repeat(150)}text${'</div>'.repeat(150)}`
  const { text, title } = await readHtml(`<html><title>T</title><body>${chain.repeat(50)}`, 'x')
  expect(text.split('\n\n')).toEqual(Array(50).fill('text'))
  expect(title).toBe('T')
  expect(findArticle).not.toHaveBeenCalled()
})

test('a page 150 deep is read', async () => {
  const html = `<html><body>${'<div>'.repeat(150)}<p>The ferry sails at noon.</p>`
  expect((await readHtml(html, 'x')).text).toContain('The ferry sails at noon.')
  expect(findArticle).toHaveBeenCalledOnce()
})

test('a long run of spaces in code is read in linear time', async () => {
  const { text } = await readHtml(`<pre>${' '.repeat(100_000)}x\n \n</pre>`, 'x')
  expect(text).toHaveLength(100_001 + '```\n\n```'.length)
})

const NAMES =
  'div p b a span li ul table tr td th thead tbody tfoot svg math g title desc foreignObject mi br img input script style textarea xmp tmp xitle option optgroup select button dd dt rt rp h1 body head html link form template noscript x-y'.split(
    ' ',
  )
const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.constantFrom(...NAMES).map((each) => each.toUpperCase()),
)
const attribute = fc.constantFrom(
  ...[
    '',
    ' ',
    ' a',
    ' a=b',
    ' a=">"',
    " a='</div>'",
    ' a=/',
    ' a = b',
    '/a',
    ' =',
    ' a="',
    " '",
    ' a=&gt;',
    '\n',
  ],
)
const piece = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(name, attribute, fc.constantFrom('>', '/>', ' / >'))
      .map(([tag, given, end]) => `<${tag}${given}${end}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(name, fc.constantFrom('>', ' >', '/>', ' x">'))
      .map(([tag, end]) => `</${tag}${end}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'text',
      '&amp;',
      '&',
      '<',
      '>',
      '"',
      "'",
      '</',
      '< div>',
      '</ div>',
      '</>',
      '\x1c\x0fscript>',
      '<\x0ftitle>',
      '</script',
      '&lt;title',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '<!---->',
      '<!-->',
      '<!--->',
      '<!--',
      '-->',
      '<!>',
      '<!->',
      '<![CDATA[',
      ']]>',
      '<![x>',
      '<!doctype html>',
      '<?x>',
      '<?>',
      '</3>',
    ),
  },
)

const depthOf = (node: Node): number => {
  let deepest = 0
  for (const child of node.childNodes)
    if (child.nodeType === 1) deepest = Math.max(deepest, 1 + depthOf(child))
  return deepest
}

test('the measured depth is the depth that the parser builds', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      // An unclosed tag is counted but not built; the suffix closes it.
      const html = `${pieces.join('')}"'>-->]]>`
      const { document } = parseHTML(html)
      expect(measureHtml(html).depth).toBe(depthOf(document))
    }),
    { numRuns: 3000, seed: 20_260_501 },
  )
})
