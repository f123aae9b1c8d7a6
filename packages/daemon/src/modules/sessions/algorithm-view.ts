import type { AlgorithmView, SubagentRun, WorkState } from '@steward/contract'
import { describeWorkState, nextViewChange, type StaleThresholds } from '@steward/platform'
import type { SessionsPorts } from './ports.ts'

/** The answer of `/api/algorithm`, rebuilt only after a change or when something goes stale. */
export interface AlgorithmAnswer {
  body: string
  view: AlgorithmView
}

interface Built {
  answer: AlgorithmAnswer
  state: WorkState
  agents: readonly SubagentRun[]
  thresholds: StaleThresholds
  atMs: number
  untilMs: number
}

export const createAlgorithmView = ({ now, settings }: Pick<SessionsPorts, 'now' | 'settings'>) => {
  let built: Built | undefined
  const thresholdsNow = (): StaleThresholds => {
    const { staleNativeMinutes, staleStartingMinutes } = settings().sessions
    return { nativeMs: staleNativeMinutes * 60_000, startingMs: staleStartingMinutes * 60_000 }
  }

  const isFresh = (before: Built, state: WorkState, agents: readonly SubagentRun[]): boolean => {
    const nowMs = now()
    const { nativeMs, startingMs } = thresholdsNow()
    return (
      before.state === state &&
      before.agents === agents &&
      before.thresholds.nativeMs === nativeMs &&
      before.thresholds.startingMs === startingMs &&
      // If the clock was set back, stale sessions may be fresh again.
      before.atMs <= nowMs &&
      nowMs < before.untilMs
    )
  }

  return {
    answer: (state: WorkState, agents: readonly SubagentRun[]): AlgorithmAnswer => {
      if (built !== undefined && isFresh(built, state, agents)) return built.answer
      const nowMs = now()
      const thresholds = thresholdsNow()
      const options = { nowMs, thresholds, agents }
      const view = describeWorkState(state, options)
      const answer = { body: JSON.stringify(view), view }
      const untilMs = nextViewChange(state, options) ?? Number.POSITIVE_INFINITY
      built = { answer, state, agents, thresholds, atMs: nowMs, untilMs }
      return answer
    },
    /** When the last answer becomes outdated without a change. */
    untilMs: () => built?.untilMs ?? Number.POSITIVE_INFINITY,
  }
}
