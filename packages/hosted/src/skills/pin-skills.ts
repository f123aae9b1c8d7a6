import type { AgentSkill } from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import type { Tx } from '../database/tx.ts'
import { findVersion, type StoredSkillVersion } from './stored-skill.ts'

/** A skill of a session in the version that it uses. */
type PinnedSkill = Pick<StoredSkillVersion, 'name' | 'description'> & {
  skill: AgentSkill
}

/**
 * The skills of an agent with `latest` replaced by the newest version of this moment. Throws 400 if
 * one of them cannot be used.
 */
export function* pinSkills(skills: readonly AgentSkill[]): Tx<PinnedSkill[]> {
  const pinned: PinnedSkill[] = []
  for (const skill of skills) {
    if (skill.type === 'anthropic')
      throw invalid(
        'skills',
        `${skill.skill_id} is a skill of the vendor and not available here: upload a skill and name it with the type custom`,
      )
    const found = yield* findUsable(skill)
    if (found === undefined)
      throw invalid('skills', `there is no skill ${skill.skill_id} in version ${skill.version}`)
    const { id: version, name, description } = found
    if (pinned.some((other) => other.name === name))
      throw invalid('skills', `two skills are named ${name}`)
    pinned.push({ skill: { ...skill, version }, name, description })
  }
  return pinned
}

const ID = /^[\w-]{1,128}$/

function* findUsable(skill: AgentSkill): Tx<StoredSkillVersion | undefined> {
  if (!ID.test(skill.skill_id) || !ID.test(skill.version)) return undefined
  return yield* findVersion(skill.skill_id, skill.version)
}
