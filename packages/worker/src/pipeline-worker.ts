import {
  describeIssues,
  issuesOf,
  type JsonObject,
  pipelineDefinition,
  type RunStatus,
  type Spend,
  StewardError,
  toStewardError,
  VERSION_VARIABLE,
} from '@steward/contract'
import {
  type ActionResult,
  changedFields,
  compilePipeline,
  createPipelineRun,
  createSubrequestBudget,
  isAnswerToBlame,
  NO_SPEND,
  type PipelineEnd,
  PipelineFailure,
  type PipelineProgram,
  readyInput,
  type StepChange,
  type StepWork,
  sha256Hex,
  sortByPath,
  statusOf,
  sumSpend,
} from '@steward/engine'
import { findService } from './bindings.ts'
import { callWorker } from './call-worker.ts'
import type { WorkerEnv } from './env.ts'
import { createFetchHandler } from './http/create-fetch-handler.ts'
import { readInput } from './http/read-input.ts'
import {
  notAllowed,
  respondError,
  respondOutput,
  spendFields,
  spendHeaders,
} from './http/respond.ts'
import {
  type FinishedStep,
  type FinishedSteps,
  readFollowedCall,
  respondWithSteps,
  type UnhelpfulAnswers,
} from './http/step-stream.ts'
import { createCallHeaders, traceOf, UNHELPFUL_HEADER } from './http/trace.ts'
import {
  type FetchHandler,
  newRunId,
  PLATFORM_PORTS,
  type WorkerContext,
  type WorkerPorts,
} from './platform.ts'
import { answerOnce } from './runs/answer-once.ts'
import { answerRuns, isRunsPath } from './runs/answer-runs.ts'
import { recordPipelineRun } from './runs/record-run.ts'
import { writeLog } from './write-log.ts'

/**
 * A pipeline as a worker: `POST /` runs its actions once, each a worker behind a service binding.
 */
export const createPipelineWorker = (
  definition: unknown,
  { ports = PLATFORM_PORTS }: { ports?: WorkerPorts } = {},
): { fetch: FetchHandler } => {
  const pipeline = parseDefinition(definition)
  const ownVersion = sha256Hex(JSON.stringify(definition))
  return {
    fetch: createFetchHandler({
      primitive: 'pipeline',
      name: pipeline.name,
      ports,
      handle: async (given, env, context, path) => {
        if (isRunsPath(path)) return answerRuns(given, env, ports, path)
        if (given.method !== 'POST' || path !== '/') throw notAllowed(given, 'POST /')
        const keyed = { primitive: 'pipeline', name: pipeline.name, env, ports } as const
        return answerOnce(given, keyed, async (request) => {
          const { runId, workKey } = traceOf(request, () => newRunId(ports.now()))
          const body = await readInput(request)
          const followed = readFollowedCall(request, body)
          // Few calls need it, and on a local edge it takes a request.
          const readOwnVersion = async () => (await readVersion(env)) ?? ownVersion
          const parts = {
            request,
            env,
            ports,
            runId,
            workKey,
            context,
            readVersion: readOwnVersion,
          }
          if (followed === undefined) return runPlan(pipeline, body, parts)
          const { input, finished } = followed
          const version = await readOwnVersion()
          const done = finished?.version === version ? finished.outputs : {}
          return respondWithSteps((onStep) => {
            const onFinished: StepPorts['onFinished'] = (step) => onStep({ ...step, version })
            const steps = { done, unhelpful: finished?.unhelpful ?? {}, onFinished }
            return runPlan(pipeline, input, { ...parts, steps }).catch((thrown: unknown) =>
              respondError(toStewardError(thrown), env),
            )
          })
        })
      },
    }),
  }
}

/**
 * The version of everything that determines its behaviour, its actions included: steps of another
 * version are run again. A local edge replaces actions while this worker runs, and binds a service
 * instead of the variable.
 */
const readVersion = async (env: WorkerEnv): Promise<string | undefined> => {
  const { [VERSION_VARIABLE]: version } = env
  if (version === undefined || typeof version === 'string') return version
  const service = findService(env, VERSION_VARIABLE)
  return (await service.fetch('https://version/', { method: 'GET' })).text()
}

interface StepPorts {
  /** Outputs of steps that an earlier call finished. */
  done: FinishedSteps['outputs']
  /** Of earlier calls. */
  unhelpful: UnhelpfulAnswers
  onFinished: (step: Omit<FinishedStep, 'version'>) => void
}

interface RunParts {
  request: Request
  env: WorkerEnv
  ports: WorkerPorts
  runId: string
  workKey: string | undefined
  context: WorkerContext
  readVersion: () => Promise<string>
  steps?: StepPorts
}

/** Runs steps without a record of its own: a flow that calls it may keep one. */
const createWorkerHost = (
  { name, program }: CompiledPipeline,
  { env, ports, runId, workKey, steps: followed }: RunParts,
  onSpend: (part: Spend, path: string) => void,
) => {
  const calls = {
    env,
    now: ports.now,
    subrequests: createSubrequestBudget(),
    headersFor: createCallHeaders(env.AUTH_TOKEN ?? ''),
  }
  const unhelpful = new Map(Object.entries(followed?.unhelpful ?? {}))
  const keyOf = (path: string): { workKey?: string } => {
    if (workKey === undefined) return {}
    const count = unhelpful.get(path)
    return { workKey: `${workKey}/${path}${count === undefined ? '' : `:${count}`}` }
  }
  const startedAt = new Map<string, number>()
  const steps: { action: string; duration_ms: number; path?: string; status?: RunStatus }[] = []
  const callAction = async ({
    path,
    action,
    input,
  }: Extract<StepWork, { kind: 'action' }>): Promise<ActionResult> => {
    const done = followed?.done[path]
    if (done !== undefined) return { output: done }
    const trace = {
      runId,
      step: Number.parseInt(path, 10) - 1,
      pipeline: name,
      ...keyOf(path),
    }
    let isPaid = false
    try {
      const output = await callWorker(action, input, trace, {
        ...calls,
        onSpend: (part) => {
          isPaid ||= part.calls > 0
          onSpend(part, path)
        },
      })
      followed?.onFinished({ step: path, output: changedFields(input, output), paid: isPaid })
      return { output }
    } catch (thrown) {
      if (isPaid && isAnswerToBlame(toStewardError(thrown))) {
        unhelpful.set(path, (unhelpful.get(path) ?? 0) + 1)
      }
      return { thrown }
    }
  }
  const record = (change: StepChange, atMs: number): void => {
    if ('started' in change) {
      startedAt.set(change.started.path, atMs)
      return
    }
    if ('noted' in change) {
      const { noted: message, path } = change
      writeLog(ports, env, { level: 'warn', pipeline: name, run_id: runId, path, message })
      return
    }
    const { ended, outcome } = change
    // The end of the steps for a failure follows the failure itself.
    if ('isHandled' in outcome && outcome.output !== undefined) return
    const duration_ms = Math.round(atMs - (startedAt.get(ended.path) ?? atMs))
    startedAt.delete(ended.path)
    const place = program.isPlain ? {} : { path: ended.path, status: statusOf(outcome) }
    steps.push({ action: ended.name, duration_ms, ...place })
  }
  const perform = (work: StepWork): Promise<ActionResult | undefined> =>
    work.kind === 'action'
      ? callAction(work)
      : new Promise((resolve) => ports.startTimer(work.ms, () => resolve(undefined)))
  return {
    perform,
    record,
    steps: () => (program.isPlain ? steps : sortByPath(steps)),
    unhelpfulHeaders: (): Record<string, string> =>
      unhelpful.size === 0
        ? {}
        : { [UNHELPFUL_HEADER]: JSON.stringify(Object.fromEntries(unhelpful)) },
  }
}

/** Asks the engine what comes next, performs it, and tells it the result. */
const runSteps = async (
  program: PipelineProgram,
  input: JsonObject,
  now: () => number,
  { perform, record }: Pick<ReturnType<typeof createWorkerHost>, 'perform' | 'record'>,
): Promise<PipelineEnd> => {
  const run = createPipelineRun(program, input, () => undefined)
  const performing = new Map<StepWork, Promise<[StepWork, ActionResult | undefined]>>()
  for (let next = run.start(); ; ) {
    // The clock stands still between two calls, and reading it takes time.
    const atMs = now()
    for (const each of next.records) record(each, atMs)
    if (next.end !== undefined) {
      if ('thrown' in next.end) throw next.end.thrown
      return next.end
    }
    const [only] = next.work
    // Mostly one step at a time, which needs no race.
    if (only !== undefined && next.work.length === 1 && performing.size === 0) {
      next = run.next(only, await perform(only))
      continue
    }
    for (const work of next.work) {
      performing.set(
        work,
        perform(work).then((result) => [work, result]),
      )
    }
    const [done, result] = await Promise.race(performing.values())
    performing.delete(done)
    next = run.next(done, result)
  }
}

const runPlan = async (
  pipeline: CompiledPipeline,
  given: JsonObject,
  parts: RunParts,
): Promise<Response> => {
  const { name, program } = pipeline
  const { env, ports } = parts
  const startedAt = ports.now()
  let spend = NO_SPEND
  const input = readyInput({ name, input: program.input }, given)
  // A flow that follows the steps keeps its own record.
  const recorder = parts.steps ? undefined : recordPipelineRun({ ...parts, name, input })
  const host = createWorkerHost(pipeline, parts, (part, path) => {
    spend = sumSpend([spend, part])
    recorder?.addSpend(path, part)
  })
  const whole = () => {
    const duration_ms = Math.round(ports.now() - startedAt)
    const steps = host.steps()
    const stages = steps.map(({ action }) => action)
    const used = spendFields(parts.request, spend)
    return { pipeline: name, duration_ms, total_duration_ms: duration_ms, stages, steps, ...used }
  }
  try {
    const end = await runSteps(program, input, ports.now, {
      perform: host.perform,
      record: (change, atMs) => {
        recorder?.record(change, atMs)
        host.record(change, atMs)
      },
    })
    recorder?.end(end, spend)
    return respondOutput({ success: true, ...whole(), ...end }, spendHeaders(spend))
  } catch (thrown) {
    if (!(thrown instanceof PipelineFailure)) throw thrown
    if (thrown.status >= 500) {
      writeLog(ports, env, { pipeline: name, failed_stage: thrown.stage, error: thrown })
    }
    recorder?.end(thrown, spend)
    const more = { ...whole(), failed_stage: thrown.stage }
    return respondError(thrown, env, more, { ...spendHeaders(spend), ...host.unhelpfulHeaders() })
  }
}

interface CompiledPipeline {
  name: string
  program: PipelineProgram
}

const parseDefinition = (definition: unknown): CompiledPipeline => {
  const parsed = pipelineDefinition.safeParse(definition)
  if (parsed.success) return { name: parsed.data.name, program: compilePipeline(parsed.data) }
  throw new StewardError('invalid_definition', {
    file: 'the pipeline of this worker',
    reason: describeIssues(issuesOf(parsed.error)),
  })
}
