import {
  isErrorCode,
  LIMITS,
  type RecordedError,
  StewardError,
  toStewardError,
} from '@steward/contract'

/** The error of a failed pipeline: names the stage and keeps the code of the original error. */
export class PipelineFailure extends StewardError<'action_failed'> {
  readonly stage: string

  constructor(stage: string, thrown: unknown) {
    const error = toStewardError(thrown, 'action_failed', { action: stage })
    super('action_failed', { action: stage, reason: error.message }, thrown)
    const { code, message, details } = error
    Object.assign(this, { code, message, details })
    this.stage = stage
  }
}

export const failureOf = (stage: string, thrown: unknown): PipelineFailure =>
  thrown instanceof PipelineFailure ? thrown : new PipelineFailure(stage, thrown)

/** The failure of a step as an earlier attempt recorded it. */
export const restoreFailure = (
  stage: string,
  { code, message }: RecordedError,
): PipelineFailure => {
  const error = StewardError.restore(isErrorCode(code) ? code : 'internal', message, {})
  return failureOf(stage, error)
}

/** Milliseconds between two attempts: what the failure asks for, or doubling from `delayMs`. */
export const waitBefore = (tried: number, delayMs: number, { details }: StewardError): number => {
  const asked = Number(details.retryAfterSeconds ?? 0) * 1000
  return Math.min(LIMITS.stepRetryMs, Math.max(asked, delayMs * 2 ** (tried - 1)))
}
