import type { RunDetail } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { createResource, type Resource } from '../../live/resource.svelte.ts'
import { whileVisible } from '../../live/while-visible.ts'

/** A run, kept current while it is shown: its record and its progress. */
export interface LiveRun extends Resource<RunDetail> {
  /** The last lines that actions logged while this page was open. */
  readonly notes: readonly string[]
}

const MOST_NOTES = 50

/**
 * Must be called during component setup. The record is reloaded when runs change; the run's own
 * stream, open while it is running, reports each step immediately, and log lines.
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
    // The daemon closes the stream after the end; an interrupted stream reconnects.
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
