import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  GENERATED_HEADS,
  HOSTILE_HEADS,
} from '../../../../contract/src/front-matter/testing/hostile-heads.ts'
import { readFields } from './read-fields.ts'

const check = (head: string): void => {
  const { fields, fault } = readFields(head)
  expect(fields).toBeInstanceOf(Map)
  if (fault !== undefined) expect(fault).toContain('frontmatter')
}

describe('hostile frontmatter of a note', () => {
  it.each(Object.entries(HOSTILE_HEADS))('is read or has a fault: %s', (_, head) => check(head))

  it('never throws, in 500 generated variations', { timeout: 180_000 }, () => {
    fc.assert(fc.property(GENERATED_HEADS, check), { numRuns: 500 })
  })
})
