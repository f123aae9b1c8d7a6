import { reasonOf, StewardError } from '@steward/contract'
import type { OnProgress, Progress } from '@steward/runner'
import type { Log } from '../../log/log.ts'

/** Passed to a run so that it can be watched and stopped. */
export interface Watching {
  onProgress: OnProgress
  signal: AbortSignal
}

type Begin<T> = (watching: Watching) => Promise<T>

export interface StartedRun<T> {
  id: string
  /** Rejects if the run was stopped or its end could not be stored. */
  outcome: Promise<T>
}

/** The unfinished runs that this daemon started. */
export interface LiveRuns {
  /** Starts a run and resolves when it is on disk; throws if it cannot start. */
  start: <T extends { runId: string }>(begin: Begin<T>) => Promise<StartedRun<T>>
  /** Reports progress of a run and its child runs; undefined if it is not ours. */
  watch: (runId: string, listener: OnProgress) => (() => void) | undefined
  /** Stops a run and resolves when it has ended; immediately if it is not ours. */
  cancel: (runId: string) => Promise<void>
  count: () => number
  /** Waits for runs until `drained` resolves, then stops them; they can be resumed later. */
  stop: (drained: Promise<unknown>) => Promise<void>
}

interface LiveRun {
  ids: Set<string>
  listeners: Set<OnProgress>
  cancelling: AbortController
  ended: Promise<unknown>
}

export const createLiveRuns = (log: Log): LiveRuns => {
  const live = new Set<LiveRun>()
  let isStopped = false

  const start: LiveRuns['start'] = async (begin) => {
    if (isStopped) {
      throw new StewardError('module_failed', { module: 'execution', reason: 'it is stopping' })
    }
    const known = Promise.withResolvers<string>()
    const ids = new Set<string>()
    const listeners = new Set<OnProgress>()
    const onProgress = (progress: Progress): void => {
      // Node takes note of a promise that is resolved again.
      if (ids.size === 0) known.resolve(progress.runId)
      ids.add(progress.runId)
      for (const listener of listeners) listener(progress)
    }
    const cancelling = new AbortController()
    const outcome = begin({ onProgress, signal: cancelling.signal })
    const ended = settle(outcome, known, log)
    const run: LiveRun = { ids, listeners, cancelling, ended }
    live.add(run)
    void run.ended.then(() => live.delete(run))
    return { id: await known.promise, outcome }
  }

  const find = (runId: string): LiveRun | undefined => [...live].find(({ ids }) => ids.has(runId))

  const cancel: LiveRuns['cancel'] = async (runId) => {
    const run = find(runId)
    run?.cancelling.abort(new StewardError('run_cancelled', { run: runId }))
    await run?.ended
  }

  const watch: LiveRuns['watch'] = (runId, listener) => {
    const run = find(runId)
    if (run === undefined) return undefined
    run.listeners.add(listener)
    return () => {
      run.listeners.delete(listener)
    }
  }

  const stop: LiveRuns['stop'] = async (drained) => {
    const ended = Promise.all([...live].map((run) => run.ended))
    await Promise.race([ended, drained])
    const reason = 'the daemon is stopping; continue the run with `steward runs resume`'
    isStopped = true
    const stopped = new StewardError('module_failed', { module: 'execution', reason })
    for (const { cancelling } of live) cancelling.abort(stopped)
    await ended
  }

  return { start, watch, cancel, count: () => live.size, stop }
}

/** An error before the run is on disk goes to the caller; later errors are recorded and logged. */
const settle = async (
  outcome: Promise<{ runId: string }>,
  known: PromiseWithResolvers<string>,
  log: Log,
): Promise<void> => {
  try {
    known.resolve((await outcome).runId)
  } catch (thrown) {
    known.reject(thrown)
    const id = await known.promise.catch(() => undefined)
    if (id !== undefined) log.warn(`run ${id}: ${reasonOf(thrown)}`)
  }
}
