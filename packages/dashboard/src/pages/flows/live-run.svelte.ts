import type { RunDetail } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { createResource, type Resource } from '../../live/resource.svelte.ts'
import { whileVisible } from '../../live/while-visible.ts'

/** A run, kept current while it is shown: as a record, and what it says on its way. */
export interface LiveRun extends Resource<RunDetail> {
  /** The last lines that actions logged while this page watched. */
  readonly notes: readonly string[]
}

const MOST_NOTES = 50

/**
 * For use while a component is set up. The record is read again when runs change; the run's own
 * stream, open while it is under way, tells each step at once and what actions say.
 */
export const createLiveRun = (id: () => string): LiveRun => {
  const stored = createResource(() => daemon.call('getRun', { params: { id: id() } }), ['runs'])
  let notes = $state.raw<readonly string[]>([])
  const isRunning = $derived(stored.value?.id === id() && stored.value.status === 'running')

  let isWatched = $state(false)
  $effect(() => {
    if (isRunning) isWatched = true
  })
  const watch = (run: string): (() => void) => {
    const source = new EventSource(daemon.urlOf('streamRun', { params: { id: run } }))
    source.addEventListener('progress', ({ data }) => {
      const line = noteIn(JSON.parse(String(data)))
      if (line === undefined) void stored.refresh()
      else notes = [...notes, line].slice(-MOST_NOTES)
    })
    let isOver = false
    source.addEventListener('end', () => {
      isOver = true
      void stored.refresh()
    })
    // The daemon closes after the end; a stream that was cut before comes back by itself.
    source.addEventListener('error', () => {
      if (isOver) isWatched = false
    })
    return () => source.close()
  }
  $effect(() => {
    if (!isWatched) return undefined
    const run = id()
    return whileVisible(() => watch(run))
  })
  $effect(() => {
    id()
    notes = []
  })

  return {
    get value() {
      return stored.value
    },
    get problem() {
      return stored.problem
    },
    get isLoading() {
      return stored.isLoading
    },
    get notes() {
      return notes
    },
    refresh: stored.refresh,
  }
}

const noteIn = (progress: unknown): string | undefined =>
  typeof progress === 'object' &&
  progress !== null &&
  'kind' in progress &&
  progress.kind === 'note' &&
  'message' in progress
    ? String(progress.message)
    : undefined
