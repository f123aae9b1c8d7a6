import { reasonOf, StewardError } from '@steward/contract'
import type { OnProgress, Progress } from '@steward/runner'
import type { Log } from '../../log/log.ts'

/** What a run is given, so that it can be watched and stopped. */
export interface Watching {
  onProgress: OnProgress
  signal: AbortSignal
}

type Begin = (watching: Watching) => Promise<{ runId: string }>

/** The runs that this daemon has started and that are not over. */
export interface LiveRuns {
  /** Starts one and answers as soon as it is on disk; what keeps it from starting is thrown. */
  start: (begin: Begin) => Promise<string>
  /** Tells what happens in a run, those it starts included; nothing when it is not one of ours. */
  watch: (runId: string, listener: OnProgress) => (() => void) | undefined
  /** Stops one, and answers when it is over; at once when it is not one of ours. */
  cancel: (runId: string) => Promise<void>
  count: () => number
  /** Lets runs end for as long as `drained` takes, then stops them; they can be resumed later. */
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
  const stopping = new AbortController()

  const start: LiveRuns['start'] = (begin) => {
    if (stopping.signal.aborted) {
      throw new StewardError('module_failed', { module: 'execution', reason: 'it is stopping' })
    }
    const known = Promise.withResolvers<string>()
    const ids = new Set<string>()
    const listeners = new Set<OnProgress>()
    const onProgress = (progress: Progress): void => {
      ids.add(progress.runId)
      known.resolve(progress.runId)
      for (const listener of listeners) listener(progress)
    }
    const cancelling = new AbortController()
    const signal = AbortSignal.any([stopping.signal, cancelling.signal])
    const ended = settle(begin({ onProgress, signal }), known, log)
    const run: LiveRun = { ids, listeners, cancelling, ended }
    live.add(run)
    void run.ended.then(() => live.delete(run))
    return known.promise
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
    stopping.abort(new Error('the daemon stops; the run can be continued with steward runs resume'))
    await ended
  }

  return { start, watch, cancel, count: () => live.size, stop }
}

/** A failure before the run is on disk is the caller's; afterwards the record has it, and the log. */
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
