import { type Judgement, VERDICTS } from '@steward/contract'

export const PASS: Judgement = {
  verdict: 'pass',
  rule: '',
  reason: 'no rule speaks against it',
  part: '',
}

/** The tier of what holds whatever the policy file says. */
export const BUILTIN = 'builtin'

/** The graver of two; the first when they are equal. */
const graver = (a: Judgement, b: Judgement): Judgement =>
  VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict) ? b : a

/** The gravest of all, with everything that rules in shadow would have said. */
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

/** What a rule in shadow says: nothing, but for the record. */
export const inShadow = (judgement: Judgement): Judgement => ({ ...PASS, shadowed: [judgement] })
