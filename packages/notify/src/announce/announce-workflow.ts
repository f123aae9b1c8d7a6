import { StewardError } from '@steward/contract'
import { checkWorkflow, type Skill } from './skill-workflows.ts'

/** Spec 2, Limits: the ACTION of an announcement is under 6 words. */
const ACTION_WORDS_BELOW = 6

export interface WorkflowAnnouncement {
  spoken: string
  printed: string
}

/**
 * The announcement when a workflow of a skill starts. Throws if the skill's routing lacks the
 * workflow, or if the action is too long.
 */
export const announceWorkflow = (
  skill: Skill,
  workflow: string,
  action: string,
): WorkflowAnnouncement => {
  const check = checkWorkflow(skill, workflow)
  if (!check.known) throw notAnnounced(skill, workflow, check)
  const words = action.split(/\s+/).filter(Boolean)
  if (words.length === 0) throw invalidAction('expected what the workflow is run for')
  if (words.length >= ACTION_WORDS_BELOW) {
    throw invalidAction(
      `${words.length} words; an announcement takes under ${ACTION_WORDS_BELOW}: "${action.trim()}"`,
    )
  }
  return {
    spoken: `Running the ${check.name} workflow in the ${skill.name} skill to ${words.join(' ')}`,
    printed: `Executing the ${check.name} workflow within the ${skill.name} skill...`,
  }
}

const invalidAction = (reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'action', reason, field: 'action' })

const WHY = {
  'no-workflows': 'the skill has no workflows',
  'no-file': 'it is no file in the Workflows directory of the skill',
  'not-routed': "it is not listed in the skill's workflow routing",
}

const notAnnounced = (
  { name }: Skill,
  workflow: string,
  { reason, listed }: { reason: keyof typeof WHY; listed: readonly string[] },
): StewardError => {
  const rest = listed.length === 0 ? '' : ` (listed: ${listed.join(', ')})`
  return new StewardError('invalid_input', {
    subject: `workflow ${workflow} of the skill ${name}`,
    reason: `${WHY[reason]}${rest}`,
    field: 'workflow',
  })
}
