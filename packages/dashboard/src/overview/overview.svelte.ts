import type { AttentionEntry, RunFailure } from '@steward/contract'
import { createContext } from 'svelte'
import { daemon } from '../live/daemon.ts'
import { createResource, type Resource } from '../live/resource.svelte.ts'

/** What the person has to know on every page: requests that wait, and what fails at present. */
export interface Overview {
  readonly waiting: Resource<{ waiting: AttentionEntry[] }>
  readonly failures: Resource<{ failures: RunFailure[] }>
}

const [getOverview, setOverview] = createContext<Overview>()

export { getOverview }

/** A finished turn needs no answer. */
const needsAnswer = ({ kind }: AttentionEntry): boolean => kind !== 'done' && kind !== 'idle'

export const countNeeds = ({ waiting }: Overview): number =>
  waiting.value?.waiting.filter(needsAnswer).length ?? 0

export const countFailures = ({ failures }: Overview): number =>
  failures.value?.failures.length ?? 0

/** Loads it once for the shell and all pages; call it in the app. */
export const provideOverview = (): Overview =>
  setOverview({
    waiting: createResource(() => daemon.call('listWaiting'), ['attention']),
    failures: createResource(() => daemon.call('listFailures', { query: {} }), ['runs']),
  })
