import {
  describeIssues,
  issuesOf,
  type JsonObject,
  type PipelineDefinition,
  pipelineDefinition,
  type Spend,
  StewardError,
} from '@steward/contract'
import {
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type RunStep,
  runPipeline,
  sumSpend,
} from '@steward/engine'
import { callWorker } from './call-worker.ts'
import type { WorkerEnv } from './env.ts'
import { createFetchHandler } from './http/create-fetch-handler.ts'
import { readInput } from './http/read-input.ts'
import { notAllowed, respondError, respondOutput, spendHeaders } from './http/respond.ts'
import { traceOf } from './http/trace.ts'
import { type FetchHandler, newRunId, PLATFORM_PORTS, type WorkerPorts } from './platform.ts'
import { writeLog } from './write-log.ts'

/**
 * A pipeline as a worker: `POST /` runs its actions once, each a worker behind a service binding.
 */
export const createPipelineWorker = (
  definition: unknown,
  ports: WorkerPorts = PLATFORM_PORTS,
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
        return runPlan(pipeline, await readInput(request), { env, ports, runId })
      },
    }),
  }
}

const runPlan = async (
  pipeline: PipelineDefinition,
  input: JsonObject,
  { env, ports, runId }: { env: WorkerEnv; ports: WorkerPorts; runId: string },
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
    try {
      return await callWorker(action, given, { runId, step: index, pipeline: name }, calls)
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

const parseDefinition = (definition: unknown): PipelineDefinition => {
  const parsed = pipelineDefinition.safeParse(definition)
  if (parsed.success) return parsed.data
  throw new StewardError('invalid_definition', {
    file: 'the pipeline of this worker',
    reason: describeIssues(issuesOf(parsed.error)),
  })
}
