import { existsSync } from 'node:fs'
import { LIMITS, StewardError, sourcesOf, toStewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { createShell, type LocalRuntime } from '@steward/runner'
import { z } from 'zod'
import type { Notices, RequestedWork, ScheduledFlow, WorkOutcome } from '../../ports.ts'
import type { LiveRuns, Watching } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import type { OpenRuntime } from './open-runtime.ts'

/**
 * The library's action for asking a model, so that budgets apply and the call is in the run
 * history.
 */
const ASK = 'A_ASK_MODEL'
const OUTPUT_BYTES = 64 * 1024
const asked = z.looseObject({ answer: z.string(), model: z.string() })

interface Ports {
  stewards: OpenRuntime
  live: LiveRuns
  notices: Notices
  setTimer: StartTimer
}

/** Performs work for other modules and returns the result. Throws on failure. */
export const doRequestedWork = (
  work: RequestedWork,
  signal: AbortSignal,
  ports: Ports,
): Promise<WorkOutcome> => {
  if (work.type === 'prompt') return ask(work, signal, ports)
  if (work.type === 'flow') return runFlow(work, signal, ports)
  return ports.stewards.use((steward) => runScript(work, signal, steward))
}

const ask = (
  { prompt, tier, key, needsModel }: Extract<RequestedWork, { type: 'prompt' }>,
  signal: AbortSignal,
  { stewards, live }: Ports,
): Promise<WorkOutcome> =>
  stewards.use(async ({ model, runner }) => {
    if (needsModel && (await model()).provider === 'offline') {
      const reason = 'only the offline model is available, and it does not write'
      throw new StewardError('not_configured', { subject: 'a model', reason })
    }
    const { result } = await startAndWait(live, (watching) =>
      runner.run(
        ASK,
        { prompt, tier },
        { ...watching, idempotencyKey: key, signal: AbortSignal.any([signal, watching.signal]) },
      ),
    )
    if ('error' in result) throw result.error
    const { answer, model: name } = asked.parse(result.output)
    return { detail: answer, model: name }
  })

const runFlow = async (
  work: Extract<RequestedWork, { type: 'flow' }>,
  signal: AbortSignal,
  ports: Ports,
): Promise<WorkOutcome> => {
  const { name, key } = work
  const { stewards, live, notices } = ports
  const { runId, summary } = await whenFree(signal, ports, () =>
    startAndWait(live, (watching) =>
      stewards.use(({ flows, ...steward }) =>
        flows.trigger(name, {
          ...watching,
          isScheduled: true,
          idempotencyKey: key,
          onEnding: notifyRunEnded(steward, notices),
        }),
      ),
    ),
  )
  if (summary.outcome !== 'failed') return { detail: `run ${runId}: ${summary.reason}` }
  throw new StewardError('action_failed', {
    action: name,
    reason: `run ${runId}: ${summary.reason}`,
    isNotified: true,
  })
}

const TRY_AGAIN_MS = 5000

/** Waits while another run of the same flow, for example one started by hand, is active. */
const whenFree = async <T>(
  signal: AbortSignal,
  { setTimer }: Pick<Ports, 'setTimer'>,
  begin: () => Promise<T>,
): Promise<T> => {
  while (true) {
    try {
      return await begin()
    } catch (thrown) {
      if (toStewardError(thrown).code !== 'run_active') throw thrown
      signal.throwIfAborted()
      const { promise, resolve } = Promise.withResolvers<void>()
      const stopTimer = setTimer(TRY_AGAIN_MS, resolve)
      const leave = () => resolve()
      signal.addEventListener('abort', leave, { once: true })
      await promise
      stopTimer()
      signal.removeEventListener('abort', leave)
      signal.throwIfAborted()
    }
  }
}

/**
 * Like a run started by hand: it can be watched and cancelled, and the daemon waits for it before
 * it stops.
 */
const startAndWait = async <T extends { runId: string }>(
  live: LiveRuns,
  begin: (watching: Watching) => Promise<T>,
): Promise<T> => (await live.start(begin)).outcome

/** In the sandbox, in an empty folder, without network; the assistant's files are readable. */
const runScript = async (
  { command, timeoutMs }: Extract<RequestedWork, { type: 'script' }>,
  signal: AbortSignal,
  { sandbox, settings, environment, home }: LocalRuntime,
): Promise<WorkOutcome> => {
  const detected = await sandbox()
  const separation = detected.ok
    ? { sandbox: detected.value }
    : { sandbox: undefined, unavailable: detected.error }
  const shell = createShell({
    ...separation,
    ...settings.execution.shell,
    env: environment,
    network: false,
    signal,
    limits: { timeoutMs: Math.min(timeoutMs, LIMITS.actionTimeoutMs), outputBytes: OUTPUT_BYTES },
    // The sandbox does not start if a mounted path is missing.
    readOnlyPaths: [home.user.assistant].filter((path) => existsSync(path)),
  })
  const { stdout, stderr, code, isolation, truncated } = await shell([...command])
  const output = [stdout, stderr].filter((text) => text.trim() !== '').join('\n')
  const note = `exit ${code}, isolation ${isolation}${truncated ? ', output cut' : ''}`
  if (code === 0) return { detail: output === '' ? note : `${output.trimEnd()}\n(${note})` }
  throw new StewardError('action_failed', {
    action: command[0] ?? 'an empty command',
    reason: `${note}${output === '' ? '' : `: ${output.slice(-1000).trim()}`}`,
  })
}

/** The flows of the catalog with their schedules. */
export const listScheduledFlows = ({ catalog }: Pick<LocalRuntime, 'catalog'>): ScheduledFlow[] =>
  catalog.flows.all().map(({ flow }) => ({
    id: flow.id,
    name: flow.name,
    schedule: flow.schedule,
    sourceType: sourcesOf(flow)[0].type,
  }))
