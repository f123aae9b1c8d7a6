import { describe, expect, it } from 'vitest'
import { DEFAULT_RULES } from './default-policy.ts'
import { DEFAULT_POLICY } from './default-policy-text.ts'
import { parsePolicy } from './parse-policy.ts'

describe('the built-in policy as a file', () => {
  it('parses back to the built-in rules, without a warning', () => {
    const parsed = parsePolicy(DEFAULT_POLICY)
    if (!parsed.ok) throw parsed.error
    expect(parsed.value).toEqual({ policy: DEFAULT_RULES, warnings: [] })
  })
})
