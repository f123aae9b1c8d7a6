import {
  primitiveOf,
  type RouteAnswer,
  type RouteInput,
  type runRoutes,
  StewardError,
  toStewardError,
} from '@steward/contract'
import { recordError } from '@steward/engine'
import type { StartTimer } from '@steward/platform'
import type { FlowOutcome, PlanOutcome } from '@steward/runner'
import { ReadyJson } from '../../module.ts'
import type { Notices } from '../../ports.ts'
import type { LiveRuns, StartedRun, Watching } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import type { OpenRuntime } from './open-runtime.ts'

type Route = typeof runRoutes.startRun
type Answer = RouteAnswer<Route>
type Started = StartedRun<PlanOutcome | FlowOutcome>

interface Ports {
  stewards: OpenRuntime
  live: LiveRuns
  notices: Notices
  setTimer: StartTimer
}

/** Runs at a time: each keeps its values in memory and may use a process for its actions. */
const MOST_RUNS = 64
const RETRY_AFTER_SECONDS = 1

/** Starts a run and, if the caller waits, answers with its output. */
export const createStartRun = ({ stewards, live, notices, setTimer }: Ports) => {
  /** Runs in progress by idempotency key, so that a repeated call waits for the same run. */
  const keyed = new Map<string, Started>()

  const begin = (
    { name, input, idempotencyKey }: RouteInput<Route>['body'],
    isUnseen: boolean,
    watching: Watching,
  ) =>
    stewards.use<PlanOutcome | FlowOutcome>((steward) =>
      primitiveOf(name) === 'flow'
        ? steward.flows.trigger(name, {
            ...watching,
            onEnding: notifyRunEnded(steward, notices),
            ...(Object.keys(input).length === 0 ? {} : { input }),
          })
        : steward.runner.run(name, input, {
            ...watching,
            isUnseen,
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          }),
    )

  const start = async (body: RouteInput<Route>['body'], isUnseen: boolean): Promise<Started> => {
    if (live.count() >= MOST_RUNS) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS
      throw new StewardError('too_many_runs', { limit: MOST_RUNS, retryAfterSeconds })
    }
    const started = await live.start((watching) => begin(body, isUnseen, watching))
    const key = body.idempotencyKey
    if (key !== undefined) {
      keyed.set(key, started)
      const forget = () => {
        if (keyed.get(key) === started) keyed.delete(key)
      }
      started.outcome.then(forget, forget)
    }
    return started
  }

  /** Like `start`, or the run in progress that has the same key and input. */
  const startOrJoin = async (body: RouteInput<Route>['body']): Promise<Started> => {
    try {
      return await start(body, true)
    } catch (thrown) {
      const same = body.idempotencyKey === undefined ? undefined : keyed.get(body.idempotencyKey)
      if (same === undefined || toStewardError(thrown).code !== 'run_active') throw thrown
      return same
    }
  }

  const describeEnd = async ({ id, outcome }: Started): Promise<Answer> => {
    try {
      const ended = await outcome
      if ('result' in ended && 'output' in ended.result) {
        const status = ended.result.filtered === undefined ? 'completed' : 'filtered'
        return { id, status, output: ended.result.output }
      }
    } catch (thrown) {
      const error = toStewardError(thrown)
      if (error.code !== 'run_cancelled') throw thrown
      return { id, status: 'cancelled', error: recordError(error) }
    }
    // Errors in the history contain no secrets.
    const run = await stewards.current().history.show(id)
    if (run === undefined) throw new StewardError('not_found', { what: 'run', name: id })
    const { status, output, error } = run
    return {
      id,
      status: error?.code === 'run_cancelled' ? 'cancelled' : status,
      ...(output === undefined ? {} : { output }),
      ...(error === null ? {} : { error }),
    }
  }

  return async (
    { body, query }: RouteInput<Route>,
    signal: AbortSignal,
  ): Promise<Answer | ReadyJson> => {
    if (query.wait === 0) return { id: (await start(body, false)).id }
    const started = await startOrJoin(body)
    const late = Promise.withResolvers<undefined>()
    const stopTimer = setTimer(query.wait * 1000, () => late.resolve(undefined))
    const leave = () => late.resolve(undefined)
    signal.addEventListener('abort', leave, { once: true })
    try {
      const answer = await Promise.race([describeEnd(started), late.promise])
      return answer === undefined
        ? { id: started.id, status: 'running' }
        : new ReadyJson(JSON.stringify(answer), 200)
    } finally {
      stopTimer()
      signal.removeEventListener('abort', leave)
    }
  }
}
