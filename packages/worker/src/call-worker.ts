import {
  isErrorCode,
  isJsonObject,
  type JsonObject,
  parseJson,
  parseRetryAfter,
  reasonOf,
  type Spend,
  StewardError,
  spend,
} from '@steward/contract'
import type { SubrequestBudget } from '@steward/engine'
import { findService } from './bindings.ts'
import type { WorkerEnv } from './env.ts'
import {
  type FinishedStep,
  type FinishedSteps,
  followedCall,
  readSteps,
  type UnhelpfulAnswers,
  unhelpfulAnswers,
} from './http/step-stream.ts'
import { type Trace, UNHELPFUL_HEADER } from './http/trace.ts'

export interface CallPorts {
  env: WorkerEnv
  now: () => number
  subrequests: SubrequestBudget
  headersFor: (trace: Trace) => Headers
  onSpend: (spend: Spend) => void
  /** Follows the steps of a pipeline; those that are already finished are not run again. */
  steps?: {
    finished: FinishedSteps | undefined
    onStep: (step: FinishedStep) => Promise<void>
    onUnhelpful: (answers: UnhelpfulAnswers) => void
  }
}

/**
 * Calls an action or pipeline worker through its service binding (spec 1, Internal calls) and
 * returns its output. Its errors are rethrown here with the same code and message.
 */
export const callWorker = async (
  name: string,
  input: JsonObject,
  trace: Trace,
  { env, now, subrequests, headersFor, onSpend, steps }: CallPorts,
): Promise<JsonObject> => {
  const service = findService(env, name)
  subrequests.spend()
  const given = headersFor(trace)
  const call =
    steps === undefined
      ? { headers: given, body: JSON.stringify(input) }
      : followedCall(input, steps.finished, given)
  let first: Response
  try {
    first = await service.fetch('https://internal/', { method: 'POST', ...call })
  } catch (cause) {
    throw new StewardError('upstream_failed', { service: name, reason: reasonOf(cause) }, cause)
  }
  const response = steps === undefined ? first : await readSteps(name, first, steps.onStep)
  const text = await response.text()
  const parsed = parseJson(text, `the answer of ${name}`)
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined
  if (body?.spend !== undefined) {
    const cost = spend.safeParse(body.spend)
    if (cost.success) onSpend(cost.data)
  }
  // Every header that is read costs time, and most calls are of actions.
  const unhelpful = steps && unhelpfulIn(response)
  if (unhelpful !== undefined) steps?.onUnhelpful(unhelpful)
  return outputOf(name, response, { text, body }, now)
}

const outputOf = (
  name: string,
  response: Response,
  { text, body }: { text: string; body: JsonObject | undefined },
  now: () => number,
): JsonObject => {
  const { status } = response
  // The caller's own token was accepted, so this worker and the next have different tokens.
  if (status === 401) {
    throw new StewardError('binding_missing', {
      reason: `${name} refused our AUTH_TOKEN (401); set the same one on both workers`,
    })
  }
  if (body === undefined) {
    const reason = `status ${status} without a JSON object: ${text.slice(0, 200)}`
    throw new StewardError('upstream_failed', { service: name, reason, ...waitIn(response, now) })
  }
  if (body.success === false || status >= 400) {
    throw errorIn(body, name, status, waitIn(response, now))
  }
  if (typeof body.filtered === 'string') {
    throw new StewardError('item_filtered', { condition: body.filtered })
  }
  return isJsonObject(body.output) ? body.output : {}
}

/** A worker's error response as an error that can be thrown here. */
const errorIn = (body: JsonObject, name: string, status: number, wait: Wait): StewardError => {
  const { error, code, field } = body
  const message = typeof error === 'string' ? error : `status ${status} without a reason`
  if (typeof code !== 'string' || !isErrorCode(code)) {
    return new StewardError('upstream_failed', { service: name, reason: message, ...wait })
  }
  return StewardError.restore(code, message, {
    ...(typeof field === 'string' ? { field } : {}),
    ...wait,
  })
}

interface Wait {
  retryAfterSeconds?: number
}

/** How long the worker asks to wait. */
const waitIn = ({ headers }: Response, now: () => number): Wait => {
  const waitMs = parseRetryAfter(headers.get('retry-after'), now())
  return waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
}

const unhelpfulIn = ({ headers }: Response): UnhelpfulAnswers | undefined => {
  const text = headers.get(UNHELPFUL_HEADER)
  if (text === null) return undefined
  const json = parseJson(text, UNHELPFUL_HEADER)
  const parsed = unhelpfulAnswers.safeParse(json.ok ? json.value : undefined)
  return parsed.success ? parsed.data : undefined
}
