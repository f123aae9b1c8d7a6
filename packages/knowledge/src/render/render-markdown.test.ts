import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './render-markdown.ts'

const TEXT = /^[^<>]+/
const CLOSING =
  /^<\/(?:h[1-6]|p|a|span|em|strong|s|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td)>/
const OPENING =
  /^<(?:h[1-6] id="s-[\p{L}\p{N}\p{M}_-]+"|p|em|strong|s|pre|ul|ol(?: start="\d+")?|li|blockquote|table|thead|tbody|tr|(?:th|td)(?: class="align-(?:left|center|right)")?|br|hr|code(?: class="language-[^"<>]*")?|span class="(?:missing-link|image)"|a href="(?:https?:|mailto:|\/wiki\/|\/knowledge\/|#)[^"<>]*"(?: rel="noopener noreferrer")?)>/u

/** The output may only contain text and allowlisted tags and attributes. */
const findStray = (html: string): string | undefined => {
  let rest = html
  while (rest !== '') {
    const part = TEXT.exec(rest) ?? CLOSING.exec(rest) ?? OPENING.exec(rest)
    if (part === null) return rest.slice(0, 80)
    rest = rest.slice(part[0].length)
  }
  return undefined
}

const ports = {
  resolveName: (name: string) => (name === 'none' ? undefined : '/knowledge/Ideas/x'),
  resolvePath: (path: string) => (path === 'none' ? undefined : '/wiki/docs/x'),
}

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](java\nscript:alert(1))',
  '[a](java&Tab;script:alert(1))',
  '[a](&#x6A;avascript:alert(1))',
  '[a](\u0001javascript:alert(1))',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '[a](vbscript:msgbox(1))',
  '[a](file:///etc/passwd)',
  '[a](//evil.example)',
  '[a](/\\evil.example)',
  '[a](\\\\evil.example)',
  '[a](https://e.example "\\" onmouseover=alert(1) x=\\"")',
  '[a]: javascript:alert(1)\n\n[a]',
  '<javascript:alert(1)>',
  '![a](javascript:alert(1))',
  '![" onerror="alert(1)](x)',
  '![a](https://e.example/track.png)',
  '[[" onmouseover="alert(1)]]',
  '[[x|<img src=x onerror=alert(1)>]]',
  '[[none|<script>]]',
  '[[#"><script>]]',
  '# <script>alert(1)</script>\n## " onload="x',
  '```"><script>alert(1)</script>\nx\n```',
  '~~~<img/src>\n</code></pre><script>\n~~~',
  '|<b>|\n|-|\n|<script>|',
  '<!-- --><b>',
  '<a href="javascript:alert(1)">x</a>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '---\ntitle: <script>\n---\n<script>',
]

describe('renderMarkdown', () => {
  it.each(ATTACKS)('makes %j harmless', (attack) => {
    const { html } = renderMarkdown(attack, ports)
    expect(findStray(html)).toBeUndefined()
  })

  it('outputs only allowlisted tags and attributes for any input', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.constantFrom(
        '# ',
        '\n',
        '\n\n',
        '- ',
        '1. ',
        '> ',
        '`',
        '```',
        '**',
        '_',
        '[[',
        ']]',
        '|',
      ),
      fc.constantFrom(
        '](',
        ')',
        '![',
        '<',
        '>',
        '"',
        "'",
        '&',
        '|-|\n',
        '    ',
        'https://a.b/',
        '\\',
      ),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
    )
    const inputs = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(inputs, (text) => {
        expect(findStray(renderMarkdown(text, ports).html)).toBeUndefined()
        expect(findStray(renderMarkdown(text).html)).toBeUndefined()
      }),
      { numRuns: 100 },
    )
  })

  it('makes anchors that stay, and a table of contents', () => {
    const { html, headings } = renderMarkdown(
      '# Über `A_B`\n\n## Twice\n\nTwice\n===\n\n# twice-1\n',
    )
    expect(headings).toEqual([
      { level: 1, text: 'Über A_B', anchor: 's-über-a_b' },
      { level: 2, text: 'Twice', anchor: 's-twice' },
      { level: 1, text: 'Twice', anchor: 's-twice-1' },
      { level: 1, text: 'twice-1', anchor: 's-twice-1-1' },
    ])
    expect(html).toContain('<h2 id="s-twice">Twice</h2>')
  })

  it('points links into the dashboard, marks broken ones, and labels external ones', () => {
    const render = (text: string) => renderMarkdown(text, ports).html.trim()
    expect(render('[a](b.md#Some%20part)')).toBe('<p><a href="/wiki/docs/x#s-some-part">a</a></p>')
    expect(render('[a](none)')).toBe('<p><span class="missing-link">a</span></p>')
    expect(render('[[x#Part|words]]')).toBe('<p><a href="/knowledge/Ideas/x#s-part">words</a></p>')
    expect(render('[[none]]')).toBe('<p><span class="missing-link">none</span></p>')
    expect(render('`[[x]]`')).toBe('<p><code>[[x]]</code></p>')
    expect(render('[a](#here)')).toBe('<p><a href="#s-here">a</a></p>')
    expect(render('https://a.example')).toBe(
      '<p><a href="https://a.example" rel="noopener noreferrer">https://a.example</a></p>',
    )
    expect(render('![two *words*](a.png)')).toBe('<p><span class="image">two words</span></p>')
  })

  it('refuses an address of a port that is not the dashboard', () => {
    const outside = {
      resolveName: () => 'javascript:alert(1)',
      resolvePath: () => '//evil.example',
    }
    const { html } = renderMarkdown('[[a]] [b](c)', outside)
    expect(html).not.toContain('<a')
  })

  it('shows a text that is too long up to a point, and brackets by the thousand as brackets', () => {
    const { html, cut } = renderMarkdown('['.repeat(300_000))
    expect(cut).toBe(true)
    expect(html).toMatch(/^<p>\[+<\/p>\n$/)
  })
})
