import type { RunDetail, RunRecord, Spend, StepRecord } from '@steward/contract'

/** The title of a step: its action, or in a flow's run the title of its item. */
export const titleOfStep = ({ action, input }: Pick<StepRecord, 'action' | 'input'>): string => {
  if (action !== 'item') return action
  const named = [input?.title, input?.id].find((name) => typeof name === 'string' && name !== '')
  return typeof named === 'string' ? named : action
}

/** The runs that a step of a flow's run started for its item, one per iteration of its loop. */
export const runsOfStep = (
  { output }: Pick<StepRecord, 'output'>,
  children: readonly RunRecord[],
): RunRecord[] => {
  const ids: unknown = output?.runs
  return Array.isArray(ids) ? children.filter(({ id }) => ids.includes(id)) : []
}

/** A flow's step calls no model itself: its cost is that of the runs it started. */
export const spendOfStep = (step: StepRecord, children: readonly RunRecord[]): Spend =>
  [step, ...runsOfStep(step, children)]
    .map(({ spend }) => spend)
    .reduce((sum, spend) => ({
      calls: sum.calls + spend.calls,
      inputTokens: sum.inputTokens + spend.inputTokens,
      outputTokens: sum.outputTokens + spend.outputTokens,
      cost: sum.cost === null || spend.cost === null ? null : sum.cost + spend.cost,
      models: [...new Set([...sum.models, ...spend.models])],
    }))

/** The remaining actions from the pipeline's current file; empty if it changed since. */
export const stepsAhead = (
  { steps, status }: Pick<RunDetail, 'steps' | 'status'>,
  actions: readonly string[] | undefined,
): string[] => {
  const isOver = status === 'completed' || status === 'filtered'
  if (isOver || steps.some(({ path }) => path !== undefined) || actions === undefined) return []
  const isSame = steps.every(({ action }, index) => action === actions[index])
  return isSame ? actions.slice(steps.length) : []
}
