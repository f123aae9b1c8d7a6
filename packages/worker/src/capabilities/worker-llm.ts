import { type Llm, type LlmAnswer, StewardError, unwrap } from '@steward/contract'
import { paidFailure, type SubrequestBudget, sha256Hex } from '@steward/engine'
import {
  type Budget,
  chooseProvider,
  createBudget,
  createBudgetedLlm,
  createModelClient,
  type ProviderChoice,
  readModelEnvironment,
  type Sleep,
} from '@steward/models'
import { textIn, textsIn, type WorkerEnv } from '../env.ts'
import type { WorkerPorts } from '../platform.ts'
import { redactorOf } from '../redact.ts'

export interface LlmScope {
  env: WorkerEnv
  ports: WorkerPorts
  subrequests: SubrequestBudget
  signal: AbortSignal
  onAnswer: (answer: LlmAnswer) => void
  /** Equal for every repetition, until an answer was received and did not help. */
  workKey: string | undefined
}

/**
 * The model selected by `LLM_*`, otherwise the offline one. Does not look for an Ollama: the
 * loopback of an isolate is not the user's machine.
 *
 * The caller counts the first request; retries are counted here.
 */
export const createWorkerLlm = ({
  env,
  ports,
  subrequests,
  signal,
  onAnswer,
  workKey,
}: LlmScope): Llm => {
  const money = budgetOf(env)
  const sleep = createSleep(ports)
  const keyFor = workKey === undefined ? () => ({}) : createCallKeys(workKey)
  return async (prompt, options) => {
    const key = keyFor(prompt, options)
    let requests = 0
    const fetchCounted: WorkerPorts['fetch'] = async (input, init) => {
      requests += 1
      if (requests > 1) subrequests.spend()
      return ports.fetch(input, init)
    }
    const choice = await chosenFor(env, fetchCounted)
    const now = () => new Date(ports.now())
    const redact = (text: string) => redactorOf(env).redactText(text).value
    const client = createModelClient({ choice, fetch: fetchCounted, sleep, now, redact })
    try {
      const answer = await createBudgetedLlm(client, money, { signal, ...key })(prompt, options)
      onAnswer(answer)
      return answer
    } catch (thrown) {
      const paid = paidFailure(thrown, client)
      if (paid !== undefined) onAnswer(paid)
      throw thrown
    }
  }
}

/** A key for each call; an action that asks the same again gets the keys in the same order. */
const createCallKeys = (workKey: string) => {
  const asked = new Map<string, number>()
  return (...request: Parameters<Llm>): { idempotencyKey: string } => {
    const hash = sha256Hex(JSON.stringify([workKey, ...request]))
    const earlier = asked.get(hash) ?? 0
    asked.set(hash, earlier + 1)
    return { idempotencyKey: earlier === 0 ? hash : `${hash}-${earlier}` }
  }
}

const choices = new WeakMap<WorkerEnv, ProviderChoice>()

const chosenFor = async (env: WorkerEnv, fetch: WorkerPorts['fetch']): Promise<ProviderChoice> => {
  const known = choices.get(env)
  if (known !== undefined) return known
  const named = unwrap(readModelEnvironment(textsIn(env)))
  const { provider, apiKey, baseUrl } = named
  if (provider === 'ollama' && baseUrl === undefined) {
    throw new StewardError('not_configured', {
      subject: 'the model provider ollama',
      reason: 'set LLM_BASE_URL to an address that the worker can reach',
    })
  }
  const isNamed = [provider, apiKey, baseUrl].some((value) => value !== undefined)
  const chosen = unwrap(
    await chooseProvider(isNamed ? named : { provider: 'offline', models: {} }, {
      fetch,
    }),
  )
  choices.set(env, chosen)
  return chosen
}

const budgetOf = (env: WorkerEnv): Budget => {
  const limit = textIn(env, 'LLM_BUDGET_PER_RUN_USD')
  const spent = { run: 0, flow: 0, day: 0 }
  if (limit === undefined) return createBudget({ limits: {}, spent })
  const perRunUsd = Number(limit)
  if (perRunUsd > 0) return createBudget({ limits: { perRunUsd }, spent })
  const reason = `must be a number of US dollars above 0, found ${limit}`
  throw new StewardError('not_configured', { subject: 'LLM_BUDGET_PER_RUN_USD', reason })
}

const createSleep =
  ({ startTimer }: Pick<WorkerPorts, 'startTimer'>): Sleep =>
  (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const cancel = startTimer(ms, resolve)
      const onAbort = () => {
        cancel()
        resolve()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
