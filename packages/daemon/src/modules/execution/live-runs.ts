import { reasonOf, StewardError } from '@steward/contract'
import type { OnProgress, Progress } from '@steward/local'
import type { Log } from '../../log/log.ts'

type Begin = (watching: {
  onProgress: OnProgress
  signal: AbortSignal
}) => Promise<{ runId: string }>

/** The runs that this daemon has started and that are not over. */
export interface LiveRuns {
  /** Starts one and answers as soon as it is on disk; what keeps it from starting is thrown. */
  start: (begin: Begin) => Promise<string>
  /** Tells what happens in a run, those it starts included; nothing when it is not one of ours. */
  watch: (runId: string, listener: OnProgress) => (() => void) | undefined
  count: () => number
  /** Lets runs end for as long as `drained` takes, then stops them; they can be resumed later. */
  stop: (drained: Promise<unknown>) => Promise<void>
}

interface LiveRun {
  ids: Set<string>
  listeners: Set<OnProgress>
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
    const outcome = begin({ onProgress, signal: stopping.signal })
    const run: LiveRun = { ids, listeners, ended: settle(outcome, known, log) }
    live.add(run)
    void run.ended.then(() => live.delete(run))
    return known.promise
  }

  const watch: LiveRuns['watch'] = (runId, listener) => {
    const run = [...live].find(({ ids }) => ids.has(runId))
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

  return { start, watch, count: () => live.size, stop }
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
