import { type Judgement, VERDICTS } from '@steward/contract'

export const PASS: Judgement = {
  verdict: 'pass',
  rule: '',
  reason: 'no rule speaks against it',
  part: '',
}

/** The tier of checks that apply regardless of the policy file. */
export const BUILTIN = 'builtin'

/** The more severe of two; the first if they are equal. */
const graver = (a: Judgement, b: Judgement): Judgement =>
  VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict) ? b : a

/** The most severe of all, with the verdicts of all rules in shadow. */
export const gravest = (judgements: Iterable<Judgement>): Judgement => {
  let worst = PASS
  const shadowed = new Map<string, Judgement>()
  for (const judgement of judgements) {
    worst = graver(worst, judgement)
    for (const shadow of judgement.shadowed ?? []) {
      const known = shadowed.get(shadow.rule)
      shadowed.set(shadow.rule, known === undefined ? shadow : graver(known, shadow))
    }
  }
  return shadowed.size === 0 ? worst : { ...worst, shadowed: [...shadowed.values()] }
}

/** A rule in shadow passes; its verdict is only recorded. */
export const inShadow = (judgement: Judgement): Judgement => ({ ...PASS, shadowed: [judgement] })
