import {
  type ActionContextV2,
  type AssistantOutcome,
  type CapabilitiesV2,
  type Fetch,
  hostedAgentTask,
  type Isolation,
  type JsonObject,
  LIMITS,
  type RunAssistant,
  type RunHostedAgent,
  type Shell,
  type Spend,
  type TurnAnswer,
  toStewardError,
  turnTask,
} from '@steward/contract'
import {
  addAnswer,
  checkInput,
  injectCapabilities,
  injectSecrets,
  NO_SPEND,
  passThrough,
  type SubrequestBudget,
  timeLimitOf,
  withTimeLimit,
} from '@steward/engine'
import { fetchUntil } from '@steward/platform'
import type { EarlyCall, HostLease, PooledAction } from '../action-host/index.ts'
import type { LoadedAction } from '../catalog/index.ts'
import { runCommandAction } from '../command-action/run-command-action.ts'
import { createStepLlm } from './model-calls.ts'
import type { RunnerPorts } from './ports.ts'
import { readTask } from './read-task.ts'

/** State that the steps of a run share. */
export interface RunScope {
  runId: string
  pipeline: string | undefined
  /** The step of the pipeline from 0; steps inside a branch have the position of the branch. */
  position: number
  subrequests: SubrequestBudget
  reserve: (maxCost: number | null) => { release: () => void }
  log: ActionContextV2['log']
  stop: AbortSignal | undefined
  /** Resolves when everything the run did so far is on disk; rejects if that fails. */
  settled: () => Promise<unknown>
  /** Lets a debugger attach to every action; called with the address. */
  onInspector: ((address: string) => void) | undefined
}

/** How a step ended, and what it used, whether it succeeded or not. */
export interface StepOutcome {
  result: { output: JsonObject } | { thrown: unknown }
  spend: Spend
  isolation: Isolation | null
}

const NEVER = new AbortController().signal

/** The longest delay of a timer, about 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/** Runs one action as step `index` of a run, with the capabilities it declares. */
export const performStep = async (
  action: LoadedAction,
  index: number,
  input: JsonObject,
  scope: RunScope,
  ports: RunnerPorts,
): Promise<StepOutcome> => {
  const { manifest } = action
  let spend = NO_SPEND
  let isolation: Isolation | null = null
  let commandIsolation: Isolation | undefined
  let turns = 0
  const shellOf =
    (signal: () => AbortSignal): Shell =>
    async (argv, options) => {
      await scope.settled()
      const network = manifest.requires.includes('fetch')
      const limits = { timeoutMs: manifest.timeoutMs ?? LIMITS.shellTimeoutMs }
      const result = await ports.shell({ network, signal: signal(), limits })(argv, options)
      if (result.isolation === 'none') commandIsolation = 'none'
      if (action.command !== undefined) isolation = result.isolation
      return result
    }
  /** Its permissions reach beyond the sandbox of actions, so only actions of Steward get it. */
  const assistantOf = (signal: () => AbortSignal): RunAssistant | undefined => {
    const { assistant } = ports
    if (assistant === undefined || action.entry.origin !== 'built-in') return undefined
    return async (given) => {
      const task = readTask(turnTask, given, 'the assistant')
      turns += 1
      const key = `${scope.runId}.${index}.${turns}`
      await scope.settled()
      return outcomeOf(await assistant(task, { key, signal: signal() }))
    }
  }
  const hostedAgentOf = (signal: () => AbortSignal): RunHostedAgent | undefined => {
    const { hostedAgent } = ports
    if (hostedAgent === undefined || action.entry.origin !== 'built-in') return undefined
    return async (given) => {
      const task = readTask(hostedAgentTask, given, 'the hosted agent')
      turns += 1
      const key = `${scope.runId}.${index}.${turns}`
      await scope.settled()
      return hostedAgent(task, { key, signal: signal() })
    }
  }
  const capabilitiesFor = (signal: () => AbortSignal): CapabilitiesV2 => {
    if (manifest.requires.length === 0) return {}
    const shell = shellOf(signal)
    const llm = createStepLlm(
      { runId: scope.runId, step: index, signal },
      {
        ...ports,
        reserve: scope.reserve,
        settled: scope.settled,
        onAnswer: (answer) => {
          spend = addAnswer(spend, answer)
        },
      },
    )
    const fetch: Fetch = async (input, init) => {
      await scope.settled()
      return fetchUntil(ports.fetch, signal())(input, init)
    }
    const assistant = assistantOf(signal)
    const hostedAgent = hostedAgentOf(signal)
    const providers = {
      ...{ llm, shell, fetch, readFile: ports.readFile },
      ...(assistant === undefined ? {} : { assistant }),
      ...(hostedAgent === undefined ? {} : { hostedAgent }),
    }
    return injectCapabilities(manifest, providers, scope.subrequests)
  }
  const contextFor = (signal: () => AbortSignal): ActionContextV2 => {
    const secrets = injectSecrets(manifest, ports.secret)
    return new StepContext(capabilitiesFor(signal), secrets, signal, scope, ports.now)
  }
  /** Without capabilities a call has no effects outside, and no use of the signal. */
  let early: EarlyCall | undefined
  const callEarly = (ready: JsonObject): EarlyCall | undefined => {
    const { requires, sockets } = manifest
    if (requires.length > 0 || sockets === true) return undefined
    early = { input: ready, context: contextFor(() => NEVER) }
    return early
  }
  let host: HostLease | undefined
  const { command } = action
  /** Waits for the process that it runs in, which does not count toward its timeout. */
  const prepare = async (ready: JsonObject): Promise<HostLease['call']> => {
    if (command !== undefined) {
      return (given, context) =>
        runCommandAction(action, command, given, context, {
          shell: shellOf(() => context.signal),
          path: ports.path,
        })
    }
    const { stop, onInspector } = scope
    const hosted = hostedAction(action)
    // Its own connections do not pass through the runner.
    if (hosted.network) await scope.settled()
    host =
      onInspector === undefined
        ? await ports.hosts.acquire(hosted, stop, callEarly(ready))
        : await ports.hosts.inspect(hosted, { onListening: onInspector, stop })
    isolation = host.isolation
    return host.call
  }
  const end = (result: StepOutcome['result']): StepOutcome => ({
    result,
    spend,
    isolation: commandIsolation ?? isolation,
  })
  // A person at a debugger takes their time.
  const limitMs = scope.onInspector === undefined ? timeLimitOf(manifest) : LONGEST_MS
  try {
    const ready = checkInput(manifest, input)
    const call = await prepare(ready)
    const own = await withTimeLimit(manifest.name, limitMs, scope.stop, (signal, onCut) =>
      call(ready, early?.context ?? contextFor(signal), onCut),
    )
    return end({ output: passThrough(manifest, ready, own) })
  } catch (thrown) {
    return end({ thrown: toStewardError(thrown, 'action_failed', { action: manifest.name }) })
  } finally {
    host?.release()
  }
}

const outcomeOf = ({ session, diff }: TurnAnswer): AssistantOutcome => {
  const { id, state, reason, answer, folder, branch, costUsd, turns, toolCalls, result } = session
  return {
    ...{ session: id, state, reason, folder, branch, costUsd, turns, toolCalls, diff },
    answer: answer ?? '',
    commit: result?.commit ?? null,
    patch: result?.patch ?? null,
    diffStat: result?.diffStat ?? null,
    outside: result?.outside ?? [],
    check: result?.check ?? null,
  }
}

/** A class, because a getter in an object literal is defined again, slowly, for each object. */
class StepContext implements ActionContextV2 {
  capabilities: CapabilitiesV2
  env: ActionContextV2['env']
  secret: ActionContextV2['secret']
  now: () => Date
  trace: ActionContextV2['trace']
  pipeline?: { name: string; step: number }
  log: ActionContextV2['log']
  readonly #signal: () => AbortSignal

  constructor(
    capabilities: CapabilitiesV2,
    secrets: ReturnType<typeof injectSecrets>,
    signal: () => AbortSignal,
    { runId, position, pipeline, log }: RunScope,
    now: () => number,
  ) {
    this.capabilities = capabilities
    this.env = { mode: 'local', secrets: secrets.names }
    this.secret = secrets.secret
    this.now = () => new Date(now())
    this.trace = { runId, step: position }
    if (pipeline !== undefined) this.pipeline = { name: pipeline, step: position }
    this.log = log
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal()
  }
}

const hostedActions = new WeakMap<LoadedAction, PooledAction>()

/** Only actions that come with Steward may open connections themselves. */
export const hostedAction = (action: LoadedAction): PooledAction => {
  const known = hostedActions.get(action)
  if (known !== undefined) return known
  const { manifest, entry, file, hash } = action
  const network = manifest.sockets === true && entry.origin === 'built-in'
  const made = { name: manifest.name, file, hash, network }
  hostedActions.set(action, made)
  return made
}
