import { classifyRequest } from './classify-request.ts'
import type { Skill } from './skill-workflows.ts'

/** Spec 2, Announcement rules 4: reasons for not announcing. */
export const SKIPS = {
  conversation: 'a conversational answer: its completion line is spoken',
  'skill-without-workflows': 'the skill has no workflows',
  'direct-skill-handling': 'the skill handles it directly, without a workflow',
  'quick-utility': 'a quick utility operation',
  'sub-workflow': 'a workflow inside another one: that one was announced',
} as const
export type Skip = keyof typeof SKIPS

/** The work that is about to start. */
export interface Situation {
  /** The person's request, or the work for it. */
  request?: string
  skill?: Skill
  workflow?: string
  /** The workflow that started this one. */
  inside?: string
}

/** Why something is not announced; undefined if it is. */
export const findSkip = ({ request, skill, workflow, inside }: Situation): Skip | undefined => {
  if (inside !== undefined) return 'sub-workflow'
  if (skill !== undefined) {
    if (skill.workflowFiles.length === 0) return 'skill-without-workflows'
    return workflow === undefined ? 'direct-skill-handling' : undefined
  }
  if (request === undefined) return undefined
  if (isQuickUtility(request)) return 'quick-utility'
  return classifyRequest(request).kind === 'conversation' ? 'conversation' : undefined
}

/** Finished before the announcement would be: one look, one command. */
const QUICK: readonly RegExp[] = [
  /^(?:ls|pwd|cd|cat|head|tail|wc|date|whoami|which|echo|clear|env|df|du|ps|top|uptime)(?:\s\S+){0,3}$/i,
  /^git (?:status|log|diff|branch|show|stash list|remote -v)(?:\s\S+){0,3}$/i,
  /^(?:npm|pnpm|yarn|bun|node|python3?|go|cargo) (?:-v|--version|version|ls|list)$/i,
  /^(?:what(?:'s| is) the (?:time|date)|what time is it|what day is it)(?: now| today)?$/i,
  /^(?:show|print|list|check)(?: me)? (?:the )?(?:git status|current (?:directory|branch|date|time)|version|branch(?:es)?|directory|env(?:ironment)?(?: variables)?)$/i,
  /^(?:which|what) (?:branch|directory|folder) (?:am i|are we) (?:on|in)$/i,
]

const isQuickUtility = (request: string): boolean => {
  const text = request
    .trim()
    .replace(/^please\s+/i, '')
    .replaceAll('’', "'")
    .replaceAll(/[`]|(?<![?.!])[?.!]+$/g, '')
    .trim()
  return QUICK.some((pattern) => pattern.test(text))
}
