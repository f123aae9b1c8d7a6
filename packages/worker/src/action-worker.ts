import {
  type ActionContextV2,
  type ActionV2,
  type CapabilitiesV2,
  type LlmAnswer,
  toStewardError,
} from '@steward/contract'
import {
  addAnswer,
  createSubrequestBudget,
  executeAction,
  injectCapabilities,
  injectSecrets,
  loadAction,
  NO_SPEND,
} from '@steward/engine'
import { createWorkerFetch } from './capabilities/guarded-fetch.ts'
import type { RunScope } from './capabilities/sealed-isolate.ts'
import type { createWorkerLlm } from './capabilities/worker-llm.ts'
import { textIn, type WorkerEnv } from './env.ts'
import { createFetchHandler } from './http/create-fetch-handler.ts'
import { readInput } from './http/read-input.ts'
import {
  notAllowed,
  respondError,
  respondOutput,
  spendFields,
  spendHeaders,
} from './http/respond.ts'
import { type Trace, traceOf } from './http/trace.ts'
import { type FetchHandler, newRunId, PLATFORM_PORTS, type WorkerPorts } from './platform.ts'
import { answerOnce } from './runs/answer-once.ts'
import { writeLog } from './write-log.ts'

export interface ActionWorkerOptions {
  ports?: WorkerPorts
  /**
   * Capabilities that only a container has: shell, files, and a fetch that checks the address it
   * connects to.
   */
  capabilities?: (signal: () => AbortSignal) => Pick<CapabilitiesV2, 'shell' | 'readFile' | 'fetch'>
  /** The sealed network: the global `fetch` during a run is its capability. */
  network?: RunScope
  /** For actions that require `llm`. The clients of the vendors are half of a worker. */
  llm?: typeof createWorkerLlm
}

/** An action as a worker: `POST /` runs it, `GET /health` is public (spec 1, Endpoints). */
export const createActionWorker = (
  manifest: unknown,
  implementation: unknown,
  {
    ports = PLATFORM_PORTS,
    capabilities = () => ({}),
    network = UNSEALED,
    llm,
  }: ActionWorkerOptions = {},
): { fetch: FetchHandler } => {
  const action = loadAction(manifest, implementation, 'action.json')
  const { name } = action.manifest
  const runnable: ActionV2 = {
    manifest: action.manifest,
    execute: (input, context) =>
      network.run({ action: name, fetch: context.capabilities.fetch }, () =>
        action.execute(input, context),
      ),
  }
  return {
    fetch: createFetchHandler({
      primitive: 'action',
      name,
      ports,
      handle: async (given, env, _context, path) => {
        if (given.method !== 'POST' || path !== '/') throw notAllowed(given, 'POST /')
        return answerOnce(given, { primitive: 'action', name, env, ports }, async (request) => {
          const startedAt = ports.now()
          let spend = NO_SPEND
          const onAnswer = (answer: LlmAnswer) => {
            spend = addAnswer(spend, answer)
          }
          const used = () => ({
            action: name,
            duration_ms: Math.round(ports.now() - startedAt),
            ...spendFields(request, spend),
          })
          try {
            const trace = traceOf(request, () => newRunId(startedAt))
            const parts = { env, ports, trace, onAnswer, capabilities, llm }
            const contextFor = createContext(action, parts)
            const output = await executeAction(runnable, await readInput(request), contextFor)
            return respondOutput({ success: true, ...used(), output }, spendHeaders(spend))
          } catch (thrown) {
            const error = toStewardError(thrown)
            if (error.status >= 500) writeLog(ports, env, { action: name, error })
            return respondError(error, env, used(), spendHeaders(spend))
          }
        })
      },
    }),
  }
}

/** Outside an isolate the process around it seals the network. */
const UNSEALED: RunScope = { run: (_, work) => work(), getStore: () => undefined }

interface ContextParts extends Required<Pick<ActionWorkerOptions, 'ports' | 'capabilities'>> {
  llm: ActionWorkerOptions['llm'] | undefined
  env: WorkerEnv
  trace: Trace
  onAnswer: (answer: LlmAnswer) => void
}

const createContext =
  ({ manifest }: ActionV2, parts: ContextParts) =>
  (signal: () => AbortSignal): ActionContextV2 => {
    const { env, ports, trace } = parts
    const { runId, step, pipeline } = trace
    const secrets = injectSecrets(manifest, (name) => textIn(env, name))
    return {
      capabilities: capabilitiesFor(manifest, signal, parts),
      env: { mode: 'cloud', secrets: secrets.names },
      secret: secrets.secret,
      // Creating a getter for each context is slow; only the signal is expensive enough to need one.
      get signal() {
        return signal()
      },
      now: () => new Date(ports.now()),
      trace: { runId, step },
      ...(pipeline === undefined ? undefined : { pipeline: { name: pipeline, step } }),
      log: (message) => writeLog(ports, env, { action: manifest.name, run_id: runId, message }),
    }
  }

const capabilitiesFor = (
  manifest: ActionV2['manifest'],
  signal: () => AbortSignal,
  { env, ports, trace, onAnswer, capabilities, llm }: ContextParts,
): CapabilitiesV2 => {
  const { requires } = manifest
  if (requires.length === 0) return {}
  const subrequests = createSubrequestBudget()
  const provided: CapabilitiesV2 = {
    ...(requires.includes('llm') &&
      llm && {
        llm: llm({
          env,
          ports,
          subrequests,
          signal: signal(),
          onAnswer,
          workKey: trace.workKey,
        }),
      }),
    ...(requires.includes('fetch') && { fetch: createWorkerFetch(env, ports, subrequests) }),
    ...capabilities(signal),
  }
  return injectCapabilities(manifest, provided, subrequests)
}
