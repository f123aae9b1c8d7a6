import { type Primitive, StewardError } from '@steward/contract'
import { sha256Hex } from '@steward/engine'
import type { WorkerEnv } from '../env.ts'
import { readBytes } from '../http/read-input.ts'
import { traceOf, withRunId } from '../http/trace.ts'
import { newRunId, type WorkerPorts } from '../platform.ts'
import { newRun } from './new-run.ts'
import { type KeyedRun, openRunLedger } from './run-ledger.ts'

const KEY_HEADER = 'idempotency-key'
const REPLAYED_HEADER = 'idempotency-replayed'
const MOST_KEY_CHARS = 255

interface Parts {
  primitive: Primitive
  name: string
  env: WorkerEnv
  ports: WorkerPorts
}

/**
 * Answers a request with an `Idempotency-Key` once: a repeated one gets the same answer, and nothing
 * runs. Without the header, it is passed on as it is.
 */
export const answerOnce = (
  request: Request,
  parts: Parts,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> => {
  const key = request.headers.get(KEY_HEADER)
  return key === null || request.method !== 'POST'
    ? answer(request)
    : answerKeyed(key, request, parts, answer)
}

const answerKeyed = async (
  key: string,
  request: Request,
  { primitive, name, env, ports }: Parts,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> => {
  const ledger = openRunLedger(env, ports.now)
  if (ledger === undefined) throw noLedger(name)
  if (key === '' || key.length > MOST_KEY_CHARS) {
    const reason = `must have 1 to ${MOST_KEY_CHARS} characters`
    throw new StewardError('invalid_input', { subject: 'Idempotency-Key', reason })
  }
  const body = await readBytes(request)
  const { pathname, search } = new URL(request.url)
  const inputHash = sha256Hex(`${pathname}${search}\n${new TextDecoder().decode(body)}`)
  const startedMs = ports.now()
  const run = newRun(primitive, name, newRunId(startedMs), startedMs)
  const earlier = await ledger.claim({ ...run, idempotencyKey: key }, key, inputHash)
  if (earlier !== undefined) return replay(earlier, key, inputHash)
  const again = new Request(request.url, {
    method: request.method,
    headers: withRunId(request.headers, run.id),
    body,
  })
  let response: Response
  try {
    response = await answer(again)
  } catch (thrown) {
    // Errors of a run are responses; this one was found before anything ran.
    await ledger.release(run.id)
    throw thrown
  }
  const text = await response.text()
  await ledger.keepAnswer(run.id, { status: response.status, body: text })
  return new Response(text, response)
}

/** The run that a request with a key was given, for workers that continue after their answer. */
export const keyedRunOf = (request: Request): { runId: string; isKeyed: true } | undefined => {
  if (!request.headers.has(KEY_HEADER)) return undefined
  return { runId: traceOf(request, () => '').runId, isKeyed: true }
}

const replay = ({ id, ...run }: KeyedRun, key: string, inputHash: string): Response => {
  if (run.inputHash !== inputHash) throw new StewardError('run_conflict', { key, run: id })
  if (run.answer === undefined) {
    if (run.status === 'running') {
      throw new StewardError('run_active', { subject: `run ${id}`, reason: 'it has the same key' })
    }
    const reason = 'it was interrupted, and may have had effects; to run it again, use a new key'
    throw new StewardError('run_not_resumable', { run: id, reason })
  }
  const { status, body } = run.answer
  if (body === null) {
    const reason = 'it has ended, and its answer was too long or contained a secret'
    throw new StewardError('run_not_resumable', { run: id, reason })
  }
  const headers = { 'content-type': 'application/json', [REPLAYED_HEADER]: 'true' }
  return new Response(body, { status, headers })
}

const noLedger = (name: string): StewardError =>
  new StewardError('binding_missing', {
    reason: `an Idempotency-Key needs the D1 database ITEMS_DB, which ${name} does not have: edge.history in settings.json binds it, or send the request without a key`,
  })
