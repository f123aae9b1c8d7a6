import type { ObserverVote, ObserverVoteName } from '@steward/contract'

export interface TeamDecision {
  decision: ObserverVoteName
  escalated: boolean
  reason: string
}

/**
 * The result of the votes. The majority decides: a halt takes two. Every escalation is reported to
 * the user, also one by the rules alone, and so is an outvoted halt. Without a majority the result
 * is escalate.
 */
export const decide = (votes: readonly ObserverVote[]): TeamDecision => {
  const of = (wanted: ObserverVoteName) => votes.filter(({ vote }) => vote === wanted)
  const halts = of('halt')
  const raised = votes.filter(({ vote, floor }) => vote === 'escalate' || floor === 'escalate')
  const isHalt = halts.length * 2 > votes.length
  if (isHalt) {
    return { decision: 'halt', escalated: raised.length > 0, reason: explain('halt', halts) }
  }
  if (raised.length > 0) {
    const also = halts.length > 0 ? `; ${explain('halt, outvoted', halts)}` : ''
    return {
      decision: 'escalate',
      escalated: true,
      reason: `${explain('escalate', raised)}${also}`,
    }
  }
  if (halts.length > 0) {
    return { decision: 'continue', escalated: true, reason: explain('halt, outvoted', halts) }
  }
  return { decision: 'continue', escalated: false, reason: 'all vote continue' }
}

const explain = (word: string, votes: readonly ObserverVote[]): string =>
  `${word}: ${votes.map(({ observer, reason }) => `${observer}: ${reason}`).join('; ')}`
