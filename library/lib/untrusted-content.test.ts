import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fenceContent } from './untrusted-content.ts'

test('no text can open or close the fence', () => {
  const pieces = fc.constantFrom('<', '/', 'content', 'CONTENT', '>', ' ', 'con', 'tent', 'x', '\n')
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      const fenced = fenceContent(parts.join(''), 1000)
      expect(fenced.match(/<\s*\/?\s*content\b/gi)).toHaveLength(2)
      expect(fenced.startsWith('<content>\n') && fenced.endsWith('\n</content>')).toBe(true)
    }),
  )
})

test('a cut keeps whole sentences where it can', () => {
  expect(fenceContent('One two three. Four five six.', 20)).toBe(
    '<content>\nOne two three.\n</content>',
  )
  expect(fenceContent('x'.repeat(30), 20)).toBe(`<content>\n${'x'.repeat(20)}\n</content>`)
})

test('blanks after an opening are read once', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  expect(fenceContent(`<${' '.repeat(500_000)}x`, 100)).toContain('<content>')
})
