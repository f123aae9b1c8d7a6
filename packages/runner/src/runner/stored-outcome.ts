import { isErrorCode, type RecordedError, type RunDetail, StewardError } from '@steward/contract'
import type { ChainOutcome } from './execute-chain.ts'

/** The outcome of a run that is over, from its record, as if it had just been run. */
export const storedOutcome = (run: RunDetail): ChainOutcome => ({
  runId: run.id,
  name: run.name,
  durationMs: run.durationMs ?? 0,
  steps: run.steps.map(({ action, durationMs }) => ({
    action,
    duration_ms: Math.round(durationMs ?? 0),
  })),
  spend: run.spend,
  result:
    run.error === null
      ? { output: run.output ?? {} }
      : { error: restoreError(run.error), stage: run.steps.at(-1)?.action ?? run.name },
})

const restoreError = ({ code, message, field }: RecordedError): StewardError => {
  const details = field === undefined ? {} : { field }
  const error = new StewardError(isErrorCode(code) ? code : 'internal', details)
  // The stored sentence is whole; the details that made it are not kept.
  error.message = message
  return error
}
