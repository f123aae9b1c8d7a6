import { describe, expect, test } from 'vitest'
import { checkHtml } from './check-html.ts'
import { LIMITS } from './limits.ts'
import { measureHtml } from './measure-html.ts'

const TOO_DEEP = `the page nests its elements more than ${LIMITS.htmlDepth} deep`
const check = (html: string) => () => checkHtml(html, 'https://a.test/')

describe('a page nested too deep is refused, however it is written', () => {
  test.each([
    ['a thousand elements', '<div>'.repeat(1000)],
    ['300,000 elements', '<div>'.repeat(300_000)],
    ['one more than allowed', '<div>'.repeat(LIMITS.htmlDepth + 1)],
    ['upper case', '<DIV>'.repeat(1000)],
    ['both cases', `${'<Div></dIV><dIv>'.repeat(1000)}`],
    ['formatting that is never ended', '<b>'.repeat(1000)],
    ['links', '<a href=x>'.repeat(1000)],
    ['paragraphs in spans', '<span><p>'.repeat(1000)],
    ['tables in cells', '<table><tr><td>'.repeat(1000)],
    ['list items with paragraphs', '<li><p>'.repeat(1000)],
    ['groups in a picture', `<svg>${'<g>'.repeat(1000)}`],
    ['pictures in pictures', '<svg>'.repeat(1000)],
    ['unknown elements', '<x-y>'.repeat(1000)],
    ['self-closing outside of a picture', '<div/>'.repeat(1000)],
    ['a bracket in a quoted value', '<div a=">" b=\'>\'>'.repeat(1000)],
    ['an end tag in a quoted value', '<div a="</div>">'.repeat(1000)],
    ['an end tag in an unquoted value', '<div a=</div>'.repeat(1000)],
    ['end tags in comments', '<div><!-- </div> -->'.repeat(1000)],
    ['end tags after a comment that ends immediately', '<div><!--><div><!--->'.repeat(1000)],
    ['end tags in CDATA', '<div><![CDATA[ > </div> ]]>'.repeat(1000)],
    ['end tags in scripts', '<div><script></div></script>'.repeat(1000)],
    ['end tags in titles', '<div><title></div></title>'.repeat(1000)],
    ['end tags in a declaration', '<div><!x </div>'.repeat(1000)],
    ['end tags with a slash', '<div></div/>'.repeat(1000)],
    ['end tags of others', '<div></b></span>'.repeat(1000)],
    ['line breaks in tags', '<div\n\ta\n=\n"b"\n>'.repeat(1000)],
    [
      'behind a script that a control character ends',
      `<script><\x0fscript>${'<div>'.repeat(1000)}`,
    ],
    ['behind <tmp>, which only </xmp> ends', `<tmp></div></xmp>${'<div>'.repeat(1000)}`],
    ['within the text of a page', `<html><body><p>Hello</p>${'<div>'.repeat(1000)}`],
  ])('%s', (_, html) => {
    expect(check(html)).toThrow(
      expect.objectContaining({
        code: 'rejected_content',
        message: `https://a.test/: ${TOO_DEEP}`,
      }),
    )
  })

  test('measuring stops at the limit', () => {
    expect(measureHtml('<div>'.repeat(300_000))).toMatchObject({ depth: 201, elements: 201 })
  })
})

describe('a page that is written to be read is not', () => {
  test.each([
    ['deep, but no deeper than allowed', '<div>'.repeat(LIMITS.htmlDepth), 200],
    ['150 deep', `${'<div>'.repeat(150)}x${'</div>'.repeat(150)}`, 150],
    ['list items without end tags', `<ul>${'<li>x'.repeat(5000)}</ul>`, 2],
    ['paragraphs without end tags', '<p>x'.repeat(5000), 1],
    ['rows and cells without end tags', `<table>${'<tr><td>x<td>y'.repeat(5000)}`, 3],
    ['terms without end tags', `<dl>${'<dt>x<dd>y'.repeat(5000)}`, 2],
    ['options without end tags', `<select>${'<option>x'.repeat(5000)}`, 2],
    ['void elements', '<br><img src=x><hr><input><wbr>'.repeat(1000), 1],
    ['void elements closed as in XML', '<br/><img src="x" />'.repeat(1000), 1],
    ['a picture of many paths', `<svg>${'<path d="M0 0"/>'.repeat(5000)}</svg>`, 2],
    ['tags in comments', `<!-- ${'<div>'.repeat(1000)} -->`, 0],
    ['tags in CDATA', `<![CDATA[ ${'<div>'.repeat(1000)} ]]>`, 0],
    ['tags in a script', `<script>x = '${'<div>'.repeat(1000)}'</script>`, 1],
    ['tags in a style sheet', `<style>${'<div>'.repeat(1000)}</STYLE >`, 1],
    ['tags in a text field', `<textarea>${'<div>'.repeat(1000)}</textarea>`, 1],
    ['tags in a value', `<p title="${'<div>'.repeat(1000)}">x</p>`, 1],
    ['signs that begin no tag', 'a < b <3 << <= < '.repeat(1000), 0],
    ['thousands of siblings', '<div><p>x</p></div>'.repeat(5000), 2],
  ])('%s', (_, html, depth) => {
    expect(check(html)).not.toThrow()
    expect(measureHtml(html).depth).toBe(depth)
  })
})

test('a page of too many characters or elements is refused', () => {
  const { htmlChars, htmlElements } = LIMITS
  expect(check('x'.repeat(htmlChars + 1))).toThrow(`more than ${htmlChars} characters of HTML`)
  expect(check('<p>'.repeat(htmlElements + 1))).toThrow(`more than ${htmlElements} elements`)
  expect(check('<br>'.repeat(htmlElements))).not.toThrow()
})

test('a page of too many attributes or character references is refused', () => {
  const { htmlAttributes, htmlReferences } = LIMITS
  const attributes = (count: number) => `<p ${'a=b '.repeat(count)}>`
  expect(measureHtml('<p a b=1 c="2 d=3" e = \'4\' /><br f>').attributes).toBe(5)
  expect(check(attributes(htmlAttributes + 1))).toThrow(`more than ${htmlAttributes} attributes`)
  expect(check(attributes(htmlAttributes))).not.toThrow()
  const references = (count: number) => '&amp;'.repeat(count)
  const tooMany = `more than ${htmlReferences} character references`
  expect(check(references(htmlReferences + 1))).toThrow(tooMany)
  expect(check(references(htmlReferences))).not.toThrow()
})

const mayHoldArticle = (html: string): boolean => checkHtml(html, 'x').mayHoldArticle

test('an article is not looked for where deep elements are many', () => {
  const deep = (times: number) => `${'<i>'.repeat(190)}${'</i>'.repeat(190)}`.repeat(times)
  expect(mayHoldArticle(deep(2))).toBe(true)
  expect(mayHoldArticle(deep(5))).toBe(false)
  expect(mayHoldArticle('<p>x</p>'.repeat(3000))).toBe(true)
})

test.each([
  ['a long text', 'word '.repeat(20_000)],
  ['character references', '&amp;'.repeat(300)],
  ['comments', '<!---->'.repeat(300)],
  ['signs that begin no tag', '< '.repeat(300)],
  ['a text field', `<textarea>${'word '.repeat(20_000)}</textarea>`],
])('nor deep inside of elements with %s', (_, text) => {
  expect(mayHoldArticle(`${'<i>'.repeat(150)}${text}`)).toBe(false)
  expect(mayHoldArticle(`${'<i>'.repeat(15)}${text}`)).toBe(true)
})

test('nor in more parts than can be searched in a second', () => {
  expect(mayHoldArticle('<p>x</p>'.repeat(6001))).toBe(false)
  expect(mayHoldArticle('<p a=b c=d e=f g=h i=j>x</p>'.repeat(3600))).toBe(false)
  expect(mayHoldArticle('&amp;'.repeat(18001))).toBe(false)
})

test.each([
  ['title', (text: string) => `<title>${text}</title>`],
  ['structured data', (text: string) => `<script type="application/ld+json">${text}</script>`],
  ['structured data in disguise', (text: string) => `<script type="&#x6c;d+json">${text}</script>`],
])('nor where a long %s is compared with many headings', (_, write) => {
  const title = write('word '.repeat(5000))
  expect(mayHoldArticle(`${title}${'<h2>x</h2>'.repeat(300)}`)).toBe(true)
  expect(mayHoldArticle(`${title}${'<h2>x</h2>'.repeat(500)}`)).toBe(false)
})

describe('the rest of an overlong attribute is cut', () => {
  const cut = (html: string): string => checkHtml(html, 'x').html

  test.each([
    ['quoted', `<p class="${'x '.repeat(1000)}">a</p>`, `<p class="${'x '.repeat(128)}">a</p>`],
    ['unquoted', `<p class=${'x'.repeat(999)}>a</p>`, `<p class=${'x'.repeat(258)}>a</p>`],
    ['never closed', `<p class='${'x '.repeat(1000)}`, `<p class='${'x '.repeat(128)} `],
    ['an address', `<a href="${'x'.repeat(9999)}" b>`, `<a href="${'x'.repeat(2048)}" b>`],
    [
      'two',
      `<p a="${'x'.repeat(999)}" b="${'y'.repeat(999)}">`,
      `<p a="${'x'.repeat(256)}" b="${'y'.repeat(256)}">`,
    ],
  ])('%s', (_, html, shorter) => {
    expect(cut(html)).toBe(shorter)
  })

  test('others stay as they are', () => {
    const html = `<p class="${'x'.repeat(256)}" a=b c><a href='${'y'.repeat(2000)}'>text</a>`
    expect(cut(html)).toBe(html)
  })
})
