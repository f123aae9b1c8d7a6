import { createHash } from 'node:crypto'
import type { Llm, LlmAnswer, LlmOptions } from '@steward/contract'
import { paidFailure } from '@steward/engine'
import type { ModelClient } from '@steward/models'
import type { ModelCall, RunHistory } from '../history/history.ts'

interface ModelCallPorts {
  model: () => Promise<ModelClient>
  history: RunHistory
  /** Throws before a call that would exceed a budget. */
  reserve: (maxCost: number | null) => { release: () => void }
  /** Resolves when the run so far is on disk, so that money is only spent on recorded work. */
  settled: () => Promise<unknown>
  now: () => number
  onAnswer: (answer: LlmAnswer) => void
}

/**
 * The `llm` of one step. Every answer is on disk before the action sees it, and a step that runs
 * again after a crash gets the stored answers of its completed calls instead of paying twice. A
 * call whose answer was lost in the crash is repeated with the same idempotency key.
 */
export const createStepLlm = (
  { runId, step, signal }: { runId: string; step: number; signal: () => AbortSignal },
  { model, history, reserve, settled, now, onAnswer }: ModelCallPorts,
): Llm => {
  let paid: ModelCall[] | undefined
  let ordinal = 0
  /** How many calls with the same request this step has made, in this attempt and before. */
  const asked = new Map<string, number>()
  return async (prompt, options = {}) => {
    if (paid === undefined) {
      paid = history.calls(runId, step)
      ordinal = paid.length
      for (const { requestHash } of paid) {
        if (requestHash.startsWith(FAILED)) count(asked, requestHash.slice(FAILED.length))
      }
    }
    const requestHash = hashRequest(prompt, options)
    const earlier = count(asked, requestHash)
    const known = paid.findIndex((call) => call.requestHash === requestHash)
    if (known !== -1) {
      const [call] = paid.splice(known, 1)
      if (call !== undefined) {
        onAnswer(call.answer)
        return call.answer
      }
    }
    const position = ordinal++
    const [client] = await Promise.all([model(), settled()])
    const reservation = reserve(client.estimate(prompt, options).maxCost)
    try {
      const idempotencyKey = hashOf([runId, step, requestHash, earlier])
      const answer = await client.call(prompt, { ...options, signal: signal(), idempotencyKey })
      const call = { runId, step, ordinal: position, requestHash, answer, at: now() }
      await history.recordCall(call, reservation.release)
      onAnswer(answer)
      return answer
    } catch (thrown) {
      const paid = paidFailure(thrown, client)
      if (paid === undefined) throw thrown
      // Recorded for billing only: no request has this hash, so no resume uses it as an answer.
      const unanswered = `${FAILED}${requestHash}`
      const call = { runId, step, ordinal: position, requestHash: unanswered, answer: paid }
      await history.recordCall({ ...call, at: now() }, reservation.release)
      onAnswer(paid)
      throw thrown
    } finally {
      reservation.release()
    }
  }
}

const FAILED = 'failed:'

/** Adds one and returns the count before. */
const count = (counts: Map<string, number>, key: string): number => {
  const before = counts.get(key) ?? 0
  counts.set(key, before + 1)
  return before
}

const hashRequest = (
  prompt: string,
  { tier, system, schema, json, maxTokens }: LlmOptions,
): string => hashOf([prompt, tier, system, schema, json, maxTokens])

const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')
