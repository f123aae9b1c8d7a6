import { basename, dirname, join, resolve } from 'node:path'
import type { HostAnswer, HostEvent } from '@steward/contract'
import { type Environment, type Home, isInside } from '@steward/platform'
import { producerRules } from '../claude/producer-rules.ts'
import { realPathOf } from '../guard/real-path.ts'
import { answerWith } from '../payload/answer-parts.ts'
import { textOf } from '../payload/fields.ts'

const ANNOUNCE = 'steward announce'
/** One plain command: words and quoted texts in which a shell expands nothing. */
const ANNOUNCEMENT = /^steward announce(?: (?:[\w@%+=:,./-]+|"[^"$`\\!\n]*"|'[^'\n]*'))+$/

/**
 * The plugin's answer to a request for what its own skills ask: without it, the person would have to
 * allow every phase. A skill that brings permissions needs the person's consent itself, and a plugin
 * has no settings, so the rules are added to the session.
 */
export const answerForSkills = (
  event: HostEvent,
  { home, environment }: { home: Pick<Home, 'work'>; environment: Environment },
): HostAnswer | undefined => {
  const root = environment.CLAUDE_PLUGIN_ROOT
  const skills = root === undefined ? undefined : join(root, 'skills')
  const isOwn =
    event.hook_event_name === 'PermissionRequest' &&
    // Subagents write no specification and announce nothing.
    event.agent_id === undefined &&
    isAskedFor(event, home.work, skills)
  if (!isOwn) return undefined
  const rules = producerRules({
    specifications: home.work,
    announce: ANNOUNCE,
    ...(skills === undefined ? {} : { skills }),
  })
  const update = { type: 'addRules', behavior: 'allow', destination: 'session', rules }
  const decision = { behavior: 'allow', updatedPermissions: [update] }
  return answerWith({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
}

const isAskedFor = (
  { tool_name: tool, tool_input: input = {} }: HostEvent,
  work: string,
  skills: string | undefined,
): boolean => {
  if (tool === 'Bash') return ANNOUNCEMENT.test(textOf(input, 'command') ?? '')
  const path = textOf(input, 'file_path') ?? ''
  // Absolute and without `..`.
  if (resolve(path) !== path) return false
  if (tool === 'Read') return skills !== undefined && isInside(realPathOf(skills), realPathOf(path))
  return (tool === 'Write' || tool === 'Edit') && isSpecification(path, work)
}

/** Its folder is usually not there yet. Neither it nor the file may be a link to another place. */
const isSpecification = (path: string, work: string): boolean => {
  const folder = dirname(path)
  if (dirname(folder) !== work || basename(path) !== 'SPEC.md') return false
  const real = join(realPathOf(work), basename(folder))
  return realPathOf(folder) === real && realPathOf(join(real, 'SPEC.md')) === join(real, 'SPEC.md')
}
