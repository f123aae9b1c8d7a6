import type { AlgorithmView, SubagentRun, WorkState } from '@steward/contract'
import {
  describeWorkState,
  nextViewChange,
  type StaleThresholds,
  type ViewOptions,
} from '@steward/platform'
import type { SessionsPorts } from './ports.ts'
import type { RemoteState } from './pushed-state.ts'

/** The answer of `/api/algorithm`, rebuilt only after a change or when something goes stale. */
export interface AlgorithmAnswer {
  body: string
  view: AlgorithmView
}

interface Built {
  answer: AlgorithmAnswer
  state: WorkState
  agents: readonly SubagentRun[]
  remote: readonly RemoteState[]
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

  const isFresh = (
    before: Built,
    state: WorkState,
    agents: readonly SubagentRun[],
    remote: readonly RemoteState[],
  ): boolean => {
    const nowMs = now()
    const { nativeMs, startingMs } = thresholdsNow()
    return (
      before.state === state &&
      before.agents === agents &&
      before.remote === remote &&
      before.thresholds.nativeMs === nativeMs &&
      before.thresholds.startingMs === startingMs &&
      // If the clock was set back, stale sessions may be fresh again.
      before.atMs <= nowMs &&
      nowMs < before.untilMs
    )
  }

  return {
    answer: (
      state: WorkState,
      agents: readonly SubagentRun[],
      remote: readonly RemoteState[],
    ): AlgorithmAnswer => {
      if (built !== undefined && isFresh(built, state, agents, remote)) return built.answer
      const nowMs = now()
      const thresholds = thresholdsNow()
      const options = { nowMs, thresholds, agents }
      const view = mergeViews(describeWorkState(state, options), state, remote, options)
      const answer = { body: JSON.stringify(view), view }
      const changes = [state, ...remote.map((other) => other.state)].map(
        (each) => nextViewChange(each, options) ?? Number.POSITIVE_INFINITY,
      )
      built = {
        answer,
        state,
        agents,
        remote,
        thresholds,
        atMs: nowMs,
        untilMs: Math.min(...changes),
      }
      return answer
    },
    /** When the last answer becomes outdated without a change. */
    untilMs: () => built?.untilMs ?? Number.POSITIVE_INFINITY,
  }
}

/** This machine first, then each of the others. A machine may push to itself: that shows once. */
const mergeViews = (
  own: AlgorithmView,
  { sessions }: WorkState,
  remote: readonly RemoteState[],
  options: ViewOptions,
): AlgorithmView => {
  const views = remote.map(({ machine, state }) => ({
    machine: machine === '' ? 'another machine' : machine,
    view: describeWorkState(state, { ...options, agents: [] }),
  }))
  return {
    ...own,
    algorithms: [
      ...own.algorithms,
      ...views.flatMap(({ machine, view }) =>
        view.algorithms
          .filter(({ sessionId }) => !Object.hasOwn(sessions, sessionId))
          .map((session) => ({ ...session, machine })),
      ),
    ],
    active: own.active || views.some(({ view }) => view.active),
  }
}
