import type { JsonObject, RecordedError, RunDetail, RunRecord } from '@steward/contract'
import type { Redactor, RedactRecords } from '@steward/platform'
import type { HistoryRedactor } from './payloads.ts'

/** A run for display: texts that look like secrets are masked. */
export const maskDetail = (run: RunDetail, redactor: HistoryRedactor): RunDetail => {
  const clean = payloadsOf(run).map((payload) => redactor.redactFields(payload).value)
  return withPayloads(run, clean, redactor)
}

/** As `maskDetail`; values are masked as the port does it. */
export const maskLater = async (
  run: RunDetail,
  redactor: Redactor,
  redactRecords: RedactRecords,
): Promise<RunDetail> => withPayloads(run, await redactRecords(payloadsOf(run), redactor), redactor)

export const maskRecord = (run: RunRecord, redactor: HistoryRedactor): RunRecord =>
  run.error === null ? run : { ...run, error: maskError(run.error, redactor) }

interface Payloads {
  input?: JsonObject
  output?: JsonObject
}

/** Of the run and its steps, in the order in which `withPayloads` puts them back. */
const payloadsOf = (run: RunDetail): JsonObject[] =>
  [run, ...run.steps].flatMap(({ input, output }) =>
    [input, output].filter((payload) => payload !== undefined),
  )

const withPayloads = (
  run: RunDetail,
  clean: readonly JsonObject[],
  redactor: HistoryRedactor,
): RunDetail => {
  const rest = clean.values()
  const putBack = ({ input, output }: Payloads): Payloads => ({
    ...(input === undefined ? {} : { input: rest.next().value }),
    ...(output === undefined ? {} : { output: rest.next().value }),
  })
  return {
    ...run,
    ...putBack(run),
    error: maskError(run.error, redactor),
    steps: run.steps.map((step) => ({
      ...step,
      ...putBack(step),
      error: maskError(step.error, redactor),
    })),
    children: run.children.map((child) => maskRecord(child, redactor)),
  }
}

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
