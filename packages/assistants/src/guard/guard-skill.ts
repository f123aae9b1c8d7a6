import { type HostEvent, type HostVerdict, nearestName } from '@steward/contract'
import { textOf } from '../payload/fields.ts'

export interface SkillRules {
  /** Skills that may not be used. */
  blocked: readonly string[]
  /** Skills in the folders of the assistant; read only when needed. */
  known: () => ReadonlySet<string>
}

/**
 * Refuses a blocked skill. A skill that no folder has may be built into the assistant: it is allowed,
 * and where it looks like a typo the nearest name is suggested.
 */
export const guardSkill = (event: HostEvent, { blocked, known }: SkillRules): HostVerdict => {
  if (event.tool_name !== undefined && event.tool_name !== 'Skill') return { kind: 'none' }
  const skill = textOf(event.tool_input ?? {}, 'skill')?.trim() ?? ''
  if (skill === '') return { kind: 'none' }
  if (blocked.some((name) => isSame(name, skill))) {
    const reason = `The skill ${skill} is blocked here (guards.blockedSkills in settings.json).`
    return { kind: 'deny', reason }
  }
  const names = known()
  if (names.has(skill) || [...names].some((name) => isSame(name, skill))) return { kind: 'none' }
  const nearest = nearestName(skill, names)
  if (nearest === undefined) return { kind: 'none' }
  const context = `There is no skill ${skill} in the skill folders; ${nearest} is the nearest name there.`
  return { kind: 'context', context }
}

const isSame = (name: string, other: string): boolean =>
  name.trim().toLowerCase() === other.toLowerCase()
