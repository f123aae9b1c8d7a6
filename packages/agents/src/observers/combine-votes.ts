import { OBSERVER_VOTES, type ObserverVote, type ObserverVoteName } from '@steward/contract'
import type { ModelVote } from './model/ask-model.ts'

/**
 * The consecutive cycles in which an observer's model gave no valid vote, and whether it is halted.
 */
export interface Seat {
  misses: number
  haltedBy?: string
}

export const EMPTY_SEAT: Seat = { misses: 0 }

/** Warns after two cycles without a vote, and then at most every ten minutes. */
const MISSES_TO_TELL = 2
const TELL_AGAIN_AFTER = 20

/**
 * Combines the rules' and the model's vote of one observer. The rules are a floor: a model may be
 * stricter, never milder, so that text in the log cannot weaken what they found.
 */
export const combineVotes = (
  rules: ObserverVote,
  { answer, model }: ModelVote,
  seat: Seat,
): { vote: ObserverVote; seat: Seat } => {
  const named = model === undefined ? {} : { model }
  if (answer.kind === 'write-tool') {
    const reason = `it called ${answer.tool}; observers are read-only, so it is halted and the rules replace it`
    return {
      vote: { ...raise(rules, 'self-halt', reason), ...named, halted: true },
      seat: { ...seat, haltedBy: answer.tool },
    }
  }
  if (answer.kind === 'rejected') {
    const misses = seat.misses + 1
    const { problem } = answer
    const isTold = misses % TELL_AGAIN_AFTER === MISSES_TO_TELL
    const reason = `its model gave no vote for ${misses} cycles: ${problem}`
    const vote = isTold ? raise(rules, 'missing-vote', reason) : rules
    return { vote: { ...vote, ...named, problem }, seat: { ...seat, misses } }
  }
  const heard: Seat = { ...seat, misses: 0 }
  if (weightOf(rules.vote) > weightOf(answer.vote)) {
    const reason = `${rules.reason} (the model said ${answer.vote})`
    return { vote: { ...rules, ...named, reason, floor: rules.vote }, seat: heard }
  }
  const { vote, reason, evidence } = answer
  const floor = rules.vote === 'continue' ? {} : { floor: rules.vote, rule: rules.rule ?? '' }
  const cited = rules.vote === vote && vote !== 'continue' ? rules.evidence : []
  return {
    vote: {
      observer: rules.observer,
      vote,
      judge: 'model',
      reason,
      evidence: [...new Set([...evidence, ...cited])],
      ...named,
      ...floor,
    },
    seat: heard,
  }
}

/** Raises the vote to at least escalate. */
const raise = (rules: ObserverVote, rule: string, reason: string): ObserverVote =>
  rules.vote === 'halt' ? rules : { ...rules, vote: 'escalate', rule, reason }

const weightOf = (vote: ObserverVoteName): number => OBSERVER_VOTES.indexOf(vote)
