import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFrontMatter } from './read-front-matter.ts'
import { setFrontMatter } from './set-front-matter.ts'
import { GENERATED_HEADS, HOSTILE_HEADS } from './testing/hostile-heads.ts'

/** A field that was set can be read, after any previous text. */
const check = (head: string): void => {
  for (const text of [`---\n${head}\n---\nbody\n`, `---\n${head}`, head]) {
    expect(readFrontMatter(text).fields).toBeInstanceOf(Map)
    const changed = setFrontMatter(text, { 'set-by-test': 'yes it is' })
    expect(readFrontMatter(changed).fields.get('set-by-test')).toBe('yes it is')
  }
}

describe('hostile front matter', () => {
  it.each(Object.entries(HOSTILE_HEADS))('is read and changed: %s', (_, head) => check(head))

  it('is read and changed, in 500 generated variations', () => {
    fc.assert(fc.property(GENERATED_HEADS, check), { numRuns: 500 })
  })
})
