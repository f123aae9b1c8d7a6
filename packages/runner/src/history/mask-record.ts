import type { JsonObject, RecordedError, RunDetail, RunRecord, StepRecord } from '@steward/contract'
import type { HistoryRedactor } from './payloads.ts'

/** A run for display: texts that look like secrets are masked. */
export const maskDetail = (run: RunDetail, redactor: HistoryRedactor): RunDetail => ({
  ...run,
  ...maskPayloads(run, redactor),
  error: maskError(run.error, redactor),
  steps: run.steps.map((step) => maskStep(step, redactor)),
  children: run.children.map((child) => maskRecord(child, redactor)),
})

export const maskRecord = (run: RunRecord, redactor: HistoryRedactor): RunRecord =>
  run.error === null ? run : { ...run, error: maskError(run.error, redactor) }

const maskStep = (step: StepRecord, redactor: HistoryRedactor): StepRecord => ({
  ...step,
  ...maskPayloads(step, redactor),
  error: maskError(step.error, redactor),
})

const maskPayloads = (
  { input, output }: { input?: JsonObject; output?: JsonObject },
  { redactFields }: HistoryRedactor,
): { input?: JsonObject; output?: JsonObject } => ({
  ...(input === undefined ? {} : { input: redactFields(input).value }),
  ...(output === undefined ? {} : { output: redactFields(output).value }),
})

/** Rows of older versions were stored with only known values masked. */
const maskError = (
  error: RecordedError | null,
  { redactFields }: HistoryRedactor,
): RecordedError | null => {
  if (error === null) return null
  const mask = (text: string): string => String(redactFields({ text }).value.text)
  const stack = error.stack === undefined ? {} : { stack: mask(error.stack) }
  return { ...error, message: mask(error.message), ...stack }
}
