import { matchesPath } from '../paths/match-path.ts'
import type { Policy, RuleSet } from './policy.ts'

/**
 * The rules that apply in a working directory: those of the policy and those of the projects that
 * contain it.
 */
export const rulesFor = (policy: Policy, cwd: string): RuleSet => {
  const inside = policy.projects.filter(({ directory }) => matchesPath(directory, cwd))
  if (inside.length === 0) return policy
  const all = [policy, ...inside.map(({ rules }) => rules)]
  return {
    patterns: {
      trusted: all.flatMap(({ patterns }) => patterns.trusted),
      blocked: all.flatMap(({ patterns }) => patterns.blocked),
      confirm: all.flatMap(({ patterns }) => patterns.confirm),
      alert: all.flatMap(({ patterns }) => patterns.alert),
    },
    paths: all.flatMap(({ paths }) => paths),
  }
}
