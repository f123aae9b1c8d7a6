import { ERRORS, isErrorCode, isFields } from '@steward/contract'
import { EXIT } from '../../errors/exit-codes.ts'
import { reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import type { WorkerAnswer } from './ask-worker.ts'

/** A worker's answer on stdout, or its error on stderr; answers with the exit code. */
export const printAnswer = (
  io: Io,
  worker: string,
  { status, body }: WorkerAnswer,
  wholeAnswer: boolean,
): number => {
  if (wholeAnswer) printJson(io.out, body)
  if (body.success === true) {
    // A missing output is read as an empty one.
    if (!wholeAnswer) printJson(io.out, isFields(body.output) ? body.output : {})
    return EXIT.success
  }
  const code = typeof body.code === 'string' ? body.code : 'upstream_failed'
  const runId = typeof body.run_id === 'string' ? { runId: body.run_id } : {}
  const remedy = workerRemedy(code, worker)
  reportProblem(io, {
    message: String(body.error ?? 'failed'),
    code,
    ...(remedy === undefined ? {} : { remedy }),
    ...runId,
  })
  return status === 401 ? EXIT.notConfigured : EXIT.failed
}

/** What to do about an error that a deployed worker answered with; what is set here does not reach it there. */
const workerRemedy = (code: string, worker: string): string | undefined => {
  const short = worker.replace(/^exec-/, '')
  const byCode: Record<string, string> = {
    unauthorized: `AUTH_TOKEN is not set on the worker or is another one than yours: steward secrets generate sets one on all workers.`,
    secret_missing: `Set it on the worker: steward secrets set NAME --worker ${short}`,
    invalid_api_key: `The LLM provider says the API key is invalid: steward secrets set LLM_API_KEY --all`,
    rate_limited: 'The caller backs off: wait, lengthen the interval, or raise the limit.',
    binding_missing: `Deploy the target workers before the workers that bind to them: steward workers status ${short} shows which are missing.`,
  }
  return byCode[code] ?? (isErrorCode(code) ? ERRORS[code].remedy : undefined)
}
