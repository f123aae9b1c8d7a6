import type { AgentRoute } from '@steward/contract'
import { type Candidate, wordsOf } from './candidate.ts'
import { type CompiledRule, matchFirst } from './compiled-routing.ts'
import type { Reading } from './read-request.ts'

type Facts = Pick<AgentRoute, 'effort' | 'phase' | 'unattended'>

/** A rule as a candidate when it holds, else nothing. */
export const matchRule = (
  { rule, when, with: also, unless }: CompiledRule,
  reading: Reading,
  { effort, phase, unattended }: Facts,
): Candidate[] => {
  if (rule.efforts !== undefined && (effort === null || !rule.efforts.includes(effort))) return []
  if (effort !== null && rule.notEfforts.includes(effort)) return []
  if (rule.phases !== undefined && (phase === null || !rule.phases.includes(phase))) return []
  if (rule.unattended !== undefined && rule.unattended !== unattended) return []
  const { tokens } = reading
  const first = matchFirst(when, tokens)
  if (when.length > 0 && first === undefined) return []
  const second = matchFirst(also, tokens)
  if (also.length > 0 && second === undefined) return []
  if (matchFirst(unless, tokens) !== undefined) return []
  const matched = [first, second].flatMap((match) => (match ? [wordsOf(reading, match)] : []))
  return [
    {
      level: rule.level,
      at: first?.start ?? -1,
      choice: {
        rule: rule.id,
        system: rule.answer.system,
        type: rule.answer.type,
        tier: rule.answer.tier,
        skill: rule.answer.skill,
        workflow: rule.answer.workflow,
        agent: null,
        matched,
        why: rule.why,
      },
      notes: rule.notes,
      deprecated: null,
    },
  ]
}
