import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReplacer, type Replacement, replaceBytes } from './replace-bytes.ts'

const replacement = (find: string, put: string): Replacement => ({
  find: Buffer.from(find),
  put: Buffer.from(put),
})
/** A small alphabet makes prefixes, overlaps and repetitions common. */
const letters = (constraints: fc.StringConstraints) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), ...constraints })

const stream = async (chunks: readonly string[], replacements: readonly Replacement[]) => {
  const replacer = createReplacer(replacements)
  const result = buffer(replacer)
  for (const chunk of chunks) replacer.write(Buffer.from(chunk))
  replacer.end()
  return (await result).toString()
}

describe('createReplacer', () => {
  it('gives the same result however the text is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(letters({ maxLength: 6 }), { maxLength: 12 }),
        fc.uniqueArray(letters({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        async (chunks, finds) => {
          const replacements = finds.map((find, index) => replacement(find, `<${index}>`))
          const whole = replaceBytes(Buffer.from(chunks.join('')), replacements).toString()
          expect(await stream(chunks, replacements)).toBe(whole)
        },
      ),
    )
  })

  it('replaces like string replacement', () => {
    fc.assert(
      fc.property(
        letters({ maxLength: 60 }),
        letters({ minLength: 1, maxLength: 4 }),
        (text, find) => {
          const replaced = replaceBytes(Buffer.from(text), [replacement(find, '-')]).toString()
          expect(replaced).toBe(text.replaceAll(find, '-'))
        },
      ),
    )
  })

  it('buffers only what may be the start of a match', async () => {
    const replacer = createReplacer([replacement('secret', '*')])
    replacer.write(Buffer.from('data: hello se'))
    expect(replacer.read().toString()).toBe('data: hello ')
    replacer.end(Buffer.from('t'))
    expect((await buffer(replacer)).toString()).toBe('set')
  })
})
