import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRoute, Effort, Phase } from '@steward/contract'

export interface Sentence {
  request: string
  expected: string
  context: { effort?: Effort; phase?: Phase; unattended?: boolean }
  matches: (answer: AgentRoute) => boolean
}

/**
 * Requests and their expected routes: below each `== heading` the requests that belong there. `[E4
 * VERIFY unattended]` before a request is its context. A heading names the outcome: a system
 * (custom, team, managed, direct), a skill (skill:Research), a workflow, a named agent (named:Ava),
 * or a built-in type. The roster of the test: Ava (primary researcher), Remy (secondary
 * researcher), Serena Blackwood (architecture lead), Marcus (senior engineer), Rook (security
 * specialist).
 */
const SENTENCES = readFileSync(join(import.meta.dirname, 'sentences.txt'), 'utf8')

/** The table of sentences, one row each. */
export const readSentences = (
  efforts: readonly Effort[],
  phases: readonly Phase[],
  table = SENTENCES,
): Sentence[] => {
  let expected = ''
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('== ')) expected = line.slice(3)
    if (line === '' || line.startsWith('== ')) return []
    const [, known = '', request = ''] = /^(?:\[([^\]]*)\] )?(.*)$/.exec(line) ?? []
    const words = known.split(' ')
    const effort = efforts.find((each) => words.includes(each))
    const phase = phases.find((each) => words.includes(each))
    const context = {
      ...(effort === undefined ? {} : { effort }),
      ...(phase === undefined ? {} : { phase }),
      ...(words.includes('unattended') ? { unattended: true } : {}),
    }
    const wanted = expected
    return [{ request, expected, context, matches: (answer: AgentRoute) => fits(answer, wanted) }]
  })
}

const fits = (answer: AgentRoute, expected: string): boolean => {
  const [kind, name] = expected.split(':')
  if (kind === 'skill') return answer.skill === name && answer.system === 'built-in'
  if (kind === 'workflow') return answer.workflow === name && answer.system !== 'custom'
  if (kind === 'named') return answer.system === 'named' && answer.agent?.split(' ')[0] === name
  if (kind === 'custom') return answer.system === 'custom' && answer.type === 'general-purpose'
  if (kind === 'team' || kind === 'managed' || kind === 'direct') return answer.system === kind
  return answer.system === 'built-in' && answer.type === expected && answer.workflow === null
}
