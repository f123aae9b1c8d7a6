import { describe, expect, it } from 'vitest'
import { hideSecretForms } from './hide-secret-forms.ts'
import { createRedactor } from './redactor.ts'
import {
  isHeldBack,
  LOOK_ALIKE_CORPUS,
  readableSecrets,
  SECRET_CORPUS,
} from './testing/secret-corpus.ts'

const { redact, redactText } = createRedactor({})

/** Secrets that can be read after a text was masked: by itself, in a record, and encoded before. */
const leaksOf = (each: (typeof SECRET_CORPUS)[number]): string[] =>
  [
    redactText(each.text).value,
    JSON.stringify(redact({ tool_input: { command: each.text }, list: [each.text] }).value),
    hideSecretForms(JSON.stringify({ command: each.text, n: 1 })),
  ].flatMap((shown) => readableSecrets(shown, each))

const isAltered = ({ text }: { text: string }): boolean =>
  redactText(text).value !== text || redact({ note: [text] }).found.length > 0

const part = <T extends { id: string }>(cases: readonly T[], heldBack: boolean): T[] =>
  cases.filter((each) => isHeldBack(each) === heldBack)

describe('the corpus', () => {
  it('has 400 secrets and 400 look-alikes at least, and a third is held back', () => {
    expect(SECRET_CORPUS.length).toBeGreaterThanOrEqual(400)
    expect(LOOK_ALIKE_CORPUS.length).toBeGreaterThanOrEqual(400)
    const all = [...SECRET_CORPUS, ...LOOK_ALIKE_CORPUS]
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (const cases of [SECRET_CORPUS, LOOK_ALIKE_CORPUS]) {
      const share = part<{ id: string }>(cases, true).length / cases.length
      expect(share).toBeGreaterThan(0.3)
      expect(share).toBeLessThan(0.37)
    }
  })

  it('shows every secret before it is masked', () => {
    const bad = SECRET_CORPUS.filter((each) => {
      return readableSecrets(each.text, each).length !== each.secrets.length
    })
    expect(bad).toEqual([])
  })
})

describe('the part that the rules were written for', () => {
  it('loses every secret', () => {
    const leaking = part(SECRET_CORPUS, false).filter((each) => leaksOf(each).length > 0)
    expect(leaking.map(({ id }) => id)).toEqual([])
  })

  it('keeps every look-alike', () => {
    const altered = part(LOOK_ALIKE_CORPUS, false).filter(isAltered)
    expect(altered.map(({ id }) => id)).toEqual([])
  })
})

// A failure does not name the cases, because rules must not be written for them.
describe('the part that is held back', () => {
  it('loses 98 of 100 secrets at least', () => {
    const cases = part(SECRET_CORPUS, true)
    const masked = cases.filter((each) => leaksOf(each).length === 0)
    expect(masked.length / cases.length).toBeGreaterThanOrEqual(0.98)
  })

  it('has at most one altered look-alike in 100', () => {
    const cases = part(LOOK_ALIKE_CORPUS, true)
    expect(cases.filter(isAltered).length / cases.length).toBeLessThanOrEqual(0.01)
  })
})
