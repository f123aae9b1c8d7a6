import { type FeedErrorClass, reasonOf, StewardError } from '@steward/contract'
import { type FeedFailure, FeedFailureError, failureOf } from './feed-failure.ts'

/** Why a request got no response. Runtimes name the reason differently, deep in their causes. */
export const classifyThrown = (thrown: unknown): FeedFailure => {
  if (thrown instanceof FeedFailureError) return thrown.failure
  return failureOf(classOf(thrown), reasonOf(thrown))
}

const CODES: Partial<Record<StewardError['code'], FeedErrorClass>> = {
  timeout: 'timeout',
  payload_too_large: 'too_large',
  address_refused: 'refused',
}
const TLS =
  /\b(?:tls|ssl|certificate|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_(?:VERIFY|GET)_\w+|EPROTO)\b/i
const TIMEOUT = /\b(?:timed? ?out|ETIMEDOUT|UND_ERR_\w*TIMEOUT)\b/i
/** Causes can be circular. */
const CHAIN_LENGTH = 8

const classOf = (thrown: unknown): FeedErrorClass => {
  let found: FeedErrorClass = 'network'
  let error = thrown
  for (let depth = 0; depth < CHAIN_LENGTH && error instanceof Error; depth++) {
    const known = error instanceof StewardError ? CODES[error.code] : undefined
    if (known !== undefined) return known
    const words = `${error.name} ${'code' in error ? String(error.code) : ''} ${error.message}`
    if (TLS.test(words)) return 'tls'
    if (TIMEOUT.test(words)) found = 'timeout'
    error = error instanceof AggregateError ? error.errors[0] : error.cause
  }
  return found
}
