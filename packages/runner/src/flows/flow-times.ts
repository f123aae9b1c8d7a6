import {
  type FlowEntry,
  type FlowRunSummary,
  type FlowState,
  flowState,
  sourcesOf,
} from '@steward/contract'
import {
  describeTiming,
  formatInZone,
  nextFiring,
  startOf,
  systemZone,
  timingOf,
} from '@steward/engine'
import { readStateFile } from '@steward/platform'
import type { LocalRuntime } from '../local-runtime.ts'

/** When a flow runs on this machine, and how its last run ended. */
export interface FlowTimes {
  /** In words: `every day at 07:00 (Europe/Berlin)`, `manual here; every hour on the edge`. */
  when: string
  /** Local time with its offset; null if nothing starts it by time here. */
  next: string | null
  last: Pick<FlowRunSummary, 'startedAt' | 'outcome' | 'runId'> | null
}

/** The times of every flow, by name. */
export const readFlowTimes = async (
  { catalog, home, settings }: Pick<LocalRuntime, 'catalog' | 'home' | 'settings'>,
  nowMs: number,
): Promise<ReadonlyMap<string, FlowTimes>> => {
  const initial: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }
  const state = await readStateFile(home.flowState, flowState, initial)
  // Asking for the zone of the system takes longer than the rest.
  const zone = () => settings.assistant.timezone ?? systemZone()
  return new Map(
    catalog.flows.all().map(({ flow }) => {
      const run = state.ok ? state.value.flows[flow.id]?.lastRun : undefined
      const last = run && { startedAt: run.startedAt, outcome: run.outcome, runId: run.runId }
      return [flow.name, { ...describeStart(flow, nowMs, zone), last: last ?? null }]
    }),
  )
}

const describeStart = (
  flow: FlowEntry,
  nowMs: number,
  zone: () => string,
): Pick<FlowTimes, 'when' | 'next'> => {
  const { schedule } = flow
  const words = describeTiming(schedule)
  switch (startOf({ schedule, sourceType: sourcesOf(flow)[0].type })) {
    case 'disabled':
      return { when: 'disabled', next: null }
    case 'webhook':
      return { when: 'when its webhook is called', next: null }
    case 'manual':
      return { when: `manual here; ${words} on the edge`, next: null }
    case 'schedule': {
      const own = schedule.timezone ?? zone()
      const nextMs = nextFiring(timingOf(schedule), nowMs, own)
      return { when: words, next: nextMs === undefined ? null : formatInZone(nextMs, own) }
    }
  }
}
