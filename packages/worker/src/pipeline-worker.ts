import {
  describeIssues,
  issuesOf,
  type JsonObject,
  pipelineDefinition,
  type RunStatus,
  type Spend,
  StewardError,
} from '@steward/contract'
import {
  compilePipeline,
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type PipelineHost,
  type PipelineProgram,
  readyInput,
  runPipeline,
  sortByPath,
  statusOf,
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

interface RunParts {
  env: WorkerEnv
  ports: WorkerPorts
  runId: string
}

/** Runs steps without a record of its own: a worker's run is one request. */
const createWorkerHost = (
  { name, program }: CompiledPipeline,
  { env, ports, runId }: RunParts,
  onSpend: (part: Spend) => void,
) => {
  const calls = { env, subrequests: createSubrequestBudget(), onSpend }
  const startedAt = new Map<string, number>()
  const steps: { action: string; duration_ms: number; path?: string; status?: RunStatus }[] = []
  const host: PipelineHost = {
    recall: () => undefined,
    started: ({ path }) => startedAt.set(path, ports.now()),
    perform: ({ path, action, input }) => {
      const step = Number.parseInt(path, 10) - 1
      return callWorker(action, input, { runId, step, pipeline: name }, calls)
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
  const { host, steps } = createWorkerHost(pipeline, parts, (part) => {
    spend = sumSpend([spend, part])
  })
  const whole = () => {
    const duration_ms = Math.round(ports.now() - startedAt)
    const stages = steps().map(({ action }) => action)
    return { pipeline: name, duration_ms, total_duration_ms: duration_ms, stages, steps: steps() }
  }
  const input = readyInput({ name, input: program.input }, given)
  try {
    const end = await runPipeline(program, input, host)
    return respondOutput({ success: true, ...whole(), ...end }, spendHeaders(spend))
  } catch (thrown) {
    if (!(thrown instanceof PipelineFailure)) throw thrown
    if (thrown.status >= 500) {
      writeLog(ports, env, { pipeline: name, failed_stage: thrown.stage, error: thrown })
    }
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
