const FAILURE_KINDS = [
  'overloaded',
  'rate_limited',
  /** No answer, an error of the server, or one that made no sense. */
  'failed',
  /** The same request will never be taken: a wrong key, an unknown model, a malformed request. */
  'rejected',
  'billing',
  /** The conversation is longer than the model can read. */
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
