import type { AlgorithmView, ModuleHealth, Result, WorkState } from '@steward/contract'

export interface SessionsFacts {
  state: Result<WorkState>
  /** Whether the file was there since the start. */
  wasThere: boolean
  view: AlgorithmView | undefined
  setAside: readonly string[]
  subagentFault: string | undefined
  archiveFault: string | undefined
  lastChangeAt: string | null
  pushedAt: string | null
  streams: number
}

/** A home that never had a session is no fault; a file that is gone or cannot be read is one. */
export const describeSessionsHealth = (facts: SessionsFacts): ModuleHealth => {
  const { state, view } = facts
  const isMissing = !state.ok && state.error.code === 'work_state_missing'
  const reasons = [
    ...(state.ok || (isMissing && !facts.wasThere) ? [] : [state.error.message]),
    ...facts.setAside.map((name) => `an unreadable work state is kept as ${name}`),
    ...[facts.subagentFault, facts.archiveFault].filter((fault) => fault !== undefined),
  ]
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ...(reasons.length === 0 ? {} : { reasons }),
    workState: state.ok ? 'ok' : isMissing ? 'missing' : 'unreadable',
    shown: view?.algorithms.length ?? 0,
    active: view?.algorithms.filter(({ active }) => active).length ?? 0,
    lastChangeAt: facts.lastChangeAt,
    pushedAt: facts.pushedAt,
    streams: facts.streams,
  }
}
