import type { AttentionEntry, RunFailure, SecurityEvent, StewardEvent } from '@steward/contract'
import { createContext } from 'svelte'
import { daemon } from '../live/daemon.ts'
import { createResource, type Resource } from '../live/resource.svelte.ts'

/** Facts for every page: waiting requests and current failures. */
export interface Overview {
  readonly waiting: Resource<{ waiting: AttentionEntry[] }>
  readonly failures: Resource<{ failures: RunFailure[] }>
  /** Failed tool calls of assistants, newest first. */
  readonly calls: Resource<{ events: StewardEvent[] }>
  /** Refusals of guards, newest first. */
  readonly verdicts: Resource<{ events: SecurityEvent[] }>
}

const [getOverview, setOverview] = createContext<Overview>()

export { getOverview }

/** A finished turn needs no answer. */
const needsAnswer = ({ kind }: AttentionEntry): boolean => kind !== 'done' && kind !== 'idle'

export const countNeeds = ({ waiting }: Overview): number =>
  waiting.value?.waiting.filter(needsAnswer).length ?? 0

export const countFailures = ({ failures }: Overview): number =>
  failures.value?.failures.length ?? 0

const DAY_MS = 86_400_000
const isNew = (timestamp: string, nowMs: number): boolean => Date.parse(timestamp) >= nowMs - DAY_MS

/** Sessions with failed tool calls in the last day. */
export const countFailedSessions = ({ calls }: Overview, nowMs: number): number =>
  new Set(
    calls.value?.events
      .filter(({ timestamp }) => isNew(timestamp, nowMs))
      .map(({ session_id }) => session_id),
  ).size

/** A guard refused it, and not only in its log. */
export const isRefusal = ({ verdict, shadow }: SecurityEvent): boolean =>
  verdict === 'deny' && !shadow

export const countRefusals = ({ verdicts }: Overview, nowMs: number): number =>
  verdicts.value?.events.filter((event) => isRefusal(event) && isNew(event.timestamp, nowMs))
    .length ?? 0

/** Updating more often would not help a reader, and a busy assistant causes many changes. */
const EVERY_MS = 5000

/** Loads it once for the shell and all pages; call it in the app. */
export const provideOverview = (): Overview =>
  setOverview({
    waiting: createResource(() => daemon.call('listWaiting'), ['attention']),
    failures: createResource(() => daemon.call('listFailures', { query: {} }), ['runs']),
    calls: createResource(() => daemon.call('listToolFailures'), ['events'], { everyMs: EVERY_MS }),
    verdicts: createResource(
      () => daemon.call('listSecurityEvents', { query: { verdict: 'deny', limit: 100 } }),
      ['security'],
      { everyMs: EVERY_MS },
    ),
  })
