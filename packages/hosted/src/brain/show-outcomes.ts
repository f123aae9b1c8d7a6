import type { OutcomeEvaluation } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { findSession, writeSessionBody } from '../log/stored-session.ts'
import type { LogView } from './log-view.ts'
import type { WorkedSession } from './worked-session.ts'

/**
 * Synchronises the displayed outcomes of a session with its log. Done at every look, so that a
 * crash in between only delays it.
 */
export const showOutcomes = async (
  { id, view, row }: WorkedSession,
  database: HostedDatabase,
  nowMs: number,
): Promise<void> => {
  const behind = row().body.outcome_evaluations.some((shown) => isBehind(shown, view))
  if (!behind) return
  await database.write(function* () {
    const session = yield* findSession(id, 'hold')
    if (session === undefined) return
    const { body } = session
    const outcome_evaluations = body.outcome_evaluations.map((shown) => inStep(shown, view))
    yield* writeSessionBody(id, { ...body, outcome_evaluations }, nowMs)
  })
}

const isBehind = (shown: OutcomeEvaluation, view: LogView): boolean => {
  const { result, iteration } = inStep(shown, view)
  return shown.result !== result || shown.iteration !== iteration
}

const inStep = (shown: OutcomeEvaluation, view: LogView): OutcomeEvaluation => {
  const state = view.outcomes.get(shown.outcome_id)
  if (state === undefined) return shown
  const { result, explanation, iteration, overMs } = state
  const completed_at = overMs === null ? null : new Date(overMs).toISOString()
  return { ...shown, result, explanation, iteration, completed_at }
}
