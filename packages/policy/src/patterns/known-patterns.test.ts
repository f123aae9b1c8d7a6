import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEFAULT_RULES } from '../policy/default-policy.ts'
import { type CompiledPattern, compilePattern, describePattern } from './compile-pattern.ts'

const list = z.array(z.string())
const corpus = z
  .object({ dangerous: z.record(z.string(), list), harmless: z.record(z.string(), list) })
  .parse(parse(readFileSync(join(import.meta.dirname, '../testing/commands.yaml'), 'utf8')))
const TEXTS = [corpus.dangerous, corpus.harmless].flatMap((each) => Object.values(each).flat())
const BUILT_IN = Object.values(DEFAULT_RULES.bash).flatMap((rules) =>
  rules.map(({ pattern }) => pattern),
)

describe('a pattern described when the hook was built', () => {
  it('matches what it matches when it is parsed for the call', () => {
    const matchesOf = ({ source, matches }: CompiledPattern) =>
      TEXTS.filter((text) => matches(text)).map((text) => ({ source, text }))
    const known = BUILT_IN.flatMap((each) => matchesOf(compilePattern(each, describePattern(each))))
    expect(known).toEqual(BUILT_IN.flatMap((each) => matchesOf(compilePattern(each))))
    expect(known.length).toBeGreaterThan(BUILT_IN.length)
  })

  it('says enough to rule most texts out without parsing', () => {
    const silent = BUILT_IN.filter((source) => {
      const { letters, required } = describePattern(source) ?? {}
      return letters === undefined && required === undefined
    })
    expect(silent).toEqual([])
  })

  it('is none where the source is no regular expression', () => {
    expect(describePattern('(a')).toBeUndefined()
    expect(describePattern('a'.repeat(1001))).toBeUndefined()
  })
})
