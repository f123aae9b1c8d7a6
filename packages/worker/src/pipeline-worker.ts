import {
  describeIssues,
  issuesOf,
  type JsonObject,
  type PipelineDefinition,
  pipelineDefinition,
  type Spend,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type RunStep,
  runPipeline,
  sha256Hex,
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
import { type FetchHandler, newRunId, PLATFORM_PORTS, type WorkerPorts } from './platform.ts'
import { writeLog } from './write-log.ts'

export interface PipelineWorkerOptions {
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
      handle: async (request, env, _context, path) => {
        if (request.method !== 'POST' || path !== '/') throw notAllowed(request, 'POST /')
        const { runId } = traceOf(request, () => newRunId(ports.now()))
        const body = await readInput(request)
        const followed = readFollowedCall(request, body)
        if (followed === undefined) return runPlan(pipeline, body, { env, ports, runId })
        const { input, finished } = followed
        const done = finished?.version === version ? finished.outputs : {}
        return respondWithSteps((onStep) => {
          const onFinished: StepPorts['onFinished'] = (step) => onStep({ ...step, version })
          const steps = { done, onFinished }
          return runPlan(pipeline, input, { env, ports, runId, steps }).catch((thrown: unknown) =>
            respondError(toStewardError(thrown), env),
          )
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

interface RunPorts {
  env: WorkerEnv
  ports: WorkerPorts
  runId: string
  steps?: StepPorts
}

const runPlan = async (
  pipeline: PipelineDefinition,
  input: JsonObject,
  { env, ports, runId, steps: followed }: RunPorts,
): Promise<Response> => {
  const { name } = pipeline
  const startedAt = ports.now()
  const steps: { action: string; duration_ms: number }[] = []
  let spend = NO_SPEND
  const calls = {
    env,
    subrequests: createSubrequestBudget(),
    onSpend: (part: Spend) => {
      spend = sumSpend([spend, part])
    },
  }
  const runStep: RunStep = async ({ index, action, input: given }) => {
    const stepStartedAt = ports.now()
    const step = String(index)
    const done = followed?.done[step]
    let isPaid = false
    const onSpend = (part: Spend) => {
      isPaid ||= part.calls > 0
      calls.onSpend(part)
    }
    try {
      if (done !== undefined) return done
      const trace = { runId, step: index, pipeline: name }
      const output = await callWorker(action, given, trace, { ...calls, onSpend })
      followed?.onFinished({ step, output: changesIn(given, output), paid: isPaid })
      return output
    } catch (thrown) {
      throw new PipelineFailure(action, thrown)
    } finally {
      steps.push({ action, duration_ms: Math.round(ports.now() - stepStartedAt) })
    }
  }
  const whole = () => {
    const duration_ms = Math.round(ports.now() - startedAt)
    const stages = steps.map(({ action }) => action)
    return { pipeline: name, duration_ms, total_duration_ms: duration_ms, stages, steps }
  }
  try {
    const output = await runPipeline(pipeline, { index: 0, input }, runStep)
    return respondOutput({ success: true, ...whole(), output }, spendHeaders(spend))
  } catch (thrown) {
    if (!(thrown instanceof PipelineFailure)) throw thrown
    if (thrown.status >= 500) {
      writeLog(ports, env, { pipeline: name, failed_stage: thrown.stage, error: thrown })
    }
    const more = { ...whole(), failed_stage: thrown.stage }
    return respondError(thrown, env, more, spendHeaders(spend))
  }
}

/** The fields that a step added or changed; the rest is passed through. */
const changesIn = (input: JsonObject, output: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(output).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(input[name]),
    ),
  )

const parseDefinition = (definition: unknown): PipelineDefinition => {
  const parsed = pipelineDefinition.safeParse(definition)
  if (parsed.success) return parsed.data
  throw new StewardError('invalid_definition', {
    file: 'the pipeline of this worker',
    reason: describeIssues(issuesOf(parsed.error)),
  })
}
