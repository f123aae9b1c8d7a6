import { describe, expect, it } from 'vitest'
import { renderHtml } from './render-html.ts'

const bodyOf = (text: string): string | undefined =>
  /<body [^>]*>\n(.*)\n<\/body>/s.exec(renderHtml(text, 'News') ?? '')?.[1]

describe('the HTML of a mail', () => {
  it('has the structure of the Markdown, and keeps the lines of plain text', () => {
    expect(bodyOf('# Today\n\n- **one**\n- https://example.org/a')).toBe(
      '<h1>Today</h1>\n<ul>\n<li><strong>one</strong></li>\n<li><a href="https://example.org/a">https://example.org/a</a></li>\n</ul>',
    )
    expect(bodyOf('Hello,\nit works.')).toBe('<p>Hello,<br>\nit works.</p>')
  })

  it('contains nothing that runs or loads', () => {
    expect(bodyOf('<script>alert(1)</script> <img src=x onerror=y>')).not.toMatch(/<script|<img/)
    expect(bodyOf('[press](javascript:alert(1))')).not.toContain('href')
    expect(bodyOf('![a cat](https://tracker.example/p.gif?id=1&b=2)')).toBe(
      '<p><a href="https://tracker.example/p.gif?id=1&amp;b=2">a cat</a></p>',
    )
    expect(renderHtml('x', '</title><script>')).not.toContain('<script>')
  })

  it('is left out for text that is too long, and hostile text takes no time', () => {
    expect(renderHtml('x'.repeat(100_001), 'News')).toBeUndefined()
    expect(renderHtml('\n'.repeat(5000), 'News')).toBeUndefined()
    for (const piece of ['> ', '- ', '*a **a ', '[a](', '![', '`a``', '|', '<']) {
      expect(renderHtml(piece.repeat(Math.floor(99_999 / piece.length)), 'News')).toBeDefined()
    }
  })
})
