import {
  describeIssues,
  issuesOf,
  type JsonObject,
  pipelineDefinition,
  type RunStatus,
  type Spend,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  changedFields,
  compilePipeline,
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type PipelineHost,
  type PipelineProgram,
  readyInput,
  runPipeline,
  sha256Hex,
  sortByPath,
  statusOf,
  sumSpend,
} from '@steward/engine'
import { callWorker } from './call-worker.ts'
import type { WorkerEnv } from './env.ts'
import { createFetchHandler } from './http/create-fetch-handler.ts'
import { readInput } from './http/read-input.ts'
import { notAllowed, respondError, respondOutput, spendHeaders } from './http/respond.ts'
import {
  type FinishedStep,
  type FinishedSteps,
  readFollowedCall,
  respondWithSteps,
} from './http/step-stream.ts'
import { traceOf } from './http/trace.ts'
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

interface PipelineWorkerOptions {
  ports?: WorkerPorts
  /** Of everything that determines its behaviour: steps of another version are run again. */
  version?: string
}

/**
 * A pipeline as a worker: `POST /` runs its actions once, each a worker behind a service binding.
 */
export const createPipelineWorker = (
  definition: unknown,
  {
    ports = PLATFORM_PORTS,
    version = sha256Hex(JSON.stringify(definition)),
  }: PipelineWorkerOptions = {},
): { fetch: FetchHandler } => {
  const pipeline = parseDefinition(definition)
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
          const { runId } = traceOf(request, () => newRunId(ports.now()))
          const body = await readInput(request)
          const followed = readFollowedCall(request, body)
          if (followed === undefined)
            return runPlan(pipeline, body, { env, ports, runId, context, version })
          const { input, finished } = followed
          const done = finished?.version === version ? finished.outputs : {}
          return respondWithSteps((onStep) => {
            const onFinished: StepPorts['onFinished'] = (step) => onStep({ ...step, version })
            const steps = { done, onFinished }
            return runPlan(pipeline, input, { env, ports, runId, context, version, steps }).catch(
              (thrown: unknown) => respondError(toStewardError(thrown), env),
            )
          })
        })
      },
    }),
  }
}

interface StepPorts {
  /** Outputs of steps that an earlier call finished. */
  done: FinishedSteps['outputs']
  onFinished: (step: Omit<FinishedStep, 'version'>) => void
}

interface RunParts {
  env: WorkerEnv
  ports: WorkerPorts
  runId: string
  context: WorkerContext
  version: string
  steps?: StepPorts
}

/** Runs steps without a record of its own: a flow that calls it may keep one. */
const createWorkerHost = (
  { name, program }: CompiledPipeline,
  { env, ports, runId, steps: followed }: RunParts,
  onSpend: (part: Spend, path: string) => void,
) => {
  const calls = { env, now: ports.now, subrequests: createSubrequestBudget() }
  const startedAt = new Map<string, number>()
  const steps: { action: string; duration_ms: number; path?: string; status?: RunStatus }[] = []
  const host: PipelineHost = {
    recall: () => undefined,
    started: ({ path }) => startedAt.set(path, ports.now()),
    perform: async ({ path, action, input }) => {
      const done = followed?.done[path]
      if (done !== undefined) return done
      const trace = { runId, step: Number.parseInt(path, 10) - 1, pipeline: name }
      let isPaid = false
      const output = await callWorker(action, input, trace, {
        ...calls,
        onSpend: (part) => {
          isPaid ||= part.calls > 0
          onSpend(part, path)
        },
      })
      followed?.onFinished({ step: path, output: changedFields(input, output), paid: isPaid })
      return output
    },
    ended: ({ path, name: action }, outcome) => {
      // The end of the steps for a failure follows the failure itself.
      if ('isHandled' in outcome && outcome.output !== undefined) return
      const duration_ms = Math.round(ports.now() - (startedAt.get(path) ?? ports.now()))
      startedAt.delete(path)
      const place = program.isPlain ? {} : { path, status: statusOf(outcome) }
      steps.push({ action, duration_ms, ...place })
    },
    throwIfStopped: () => undefined,
    wait: (ms) => new Promise((resolve) => ports.startTimer(ms, resolve)),
  }
  return { host, steps: () => (program.isPlain ? steps : sortByPath(steps)) }
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
  const record = parts.steps ? undefined : recordPipelineRun({ ...parts, name, input })
  const { host, steps } = createWorkerHost(pipeline, parts, (part, path) => {
    spend = sumSpend([spend, part])
    record?.addSpend(path, part)
  })
  const whole = () => {
    const duration_ms = Math.round(ports.now() - startedAt)
    const stages = steps().map(({ action }) => action)
    return { pipeline: name, duration_ms, total_duration_ms: duration_ms, stages, steps: steps() }
  }
  try {
    const end = await runPipeline(program, input, record?.follow(host) ?? host)
    record?.end(end, spend)
    return respondOutput({ success: true, ...whole(), ...end }, spendHeaders(spend))
  } catch (thrown) {
    if (!(thrown instanceof PipelineFailure)) throw thrown
    if (thrown.status >= 500) {
      writeLog(ports, env, { pipeline: name, failed_stage: thrown.stage, error: thrown })
    }
    record?.end(thrown, spend)
    const more = { ...whole(), failed_stage: thrown.stage }
    return respondError(thrown, env, more, spendHeaders(spend))
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
