import { type Judgement, VERDICTS } from '@steward/contract'

export const PASS: Judgement = {
  verdict: 'pass',
  rule: '',
  reason: 'no rule speaks against it',
  part: '',
}

/** The graver of two; the first when they are equal. */
export const graver = (a: Judgement, b: Judgement): Judgement =>
  VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict) ? b : a

export const gravest = (judgements: Iterable<Judgement>): Judgement => {
  let worst = PASS
  for (const judgement of judgements) worst = graver(worst, judgement)
  return worst
}
