import { createHash } from 'node:crypto'
import type { Repetition } from './answers.ts'
import { invalid } from './refusal.ts'

export interface RepeatableCall {
  keyId: string
  method: string
  /** Path and query string. */
  target: string
  body: Uint8Array
  header(name: string): string | undefined
}

const KEPT_BY_KEY_MS = 24 * 60 * 60 * 1000
/** Clients retry within seconds. */
const KEPT_FOR_RETRY_MS = 60_000
const LONGEST_KEY = 255

/**
 * Detects whether a call may be a retry. Other clients send an `Idempotency-Key`. The official
 * client sends none but retries and counts its attempts, so an identical request within a short
 * time is treated as the same call.
 */
export const findRepetition = (call: RepeatableCall): Repetition | undefined => {
  const given = call.header('idempotency-key')
  const requestHash = hash(call.method, call.target, call.body)
  if (given !== undefined) {
    if (given === '' || given.length > LONGEST_KEY)
      throw invalid('Idempotency-Key', `it must have 1 to ${LONGEST_KEY} characters`)
    const key = hash('key', call.keyId, given)
    return { key, requestHash, sort: 'maybe', keptMs: KEPT_BY_KEY_MS }
  }
  const attempt = call.header('x-stainless-retry-count')
  if (attempt === undefined) return undefined
  const sort = /^0*$/.test(attempt) ? 'first' : 'maybe'
  return {
    key: hash('retry', call.keyId, requestHash),
    requestHash,
    sort,
    keptMs: KEPT_FOR_RETRY_MS,
  }
}

const hash = (...parts: readonly (string | Uint8Array)[]): string => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(`${part.length}:`).update(part)
  return digest.digest('hex')
}
