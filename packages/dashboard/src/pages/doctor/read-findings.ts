import type { DoctorFinding } from '@steward/contract'

/** The page shows these itself with newer data. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['daemon', 'event sources'])

/** Problems, worst first, and passed checks. */
export const sortFindings = (
  findings: readonly DoctorFinding[],
): { problems: DoctorFinding[]; fine: DoctorFinding[] } => {
  const own = findings.filter(({ check }) => !SHOWN_ELSEWHERE.has(check))
  return {
    problems: [
      ...own.filter(({ status }) => status === 'fail'),
      ...own.filter(({ status }) => status === 'warn'),
    ],
    fine: own.filter(({ status }) => status === 'ok'),
  }
}
