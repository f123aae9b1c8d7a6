const FAILURE_KINDS = [
  'overloaded',
  'rate_limited',
  /** No answer, half an answer, or a server error. */
  'failed',
  /** An answer that makes no sense. */
  'unusable',
  /** The same request will never succeed: a wrong key, an unknown model, or a malformed request. */
  'rejected',
  'billing',
  /** The conversation exceeds the model's context window. */
  'too_long',
] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** Why a model did not answer. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly kind: FailureKind
  /** How long the vendor asks us to wait. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: FailureKind,
    message: string,
    { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
