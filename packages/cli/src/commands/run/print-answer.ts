import { isFields } from '@steward/contract'
import { EXIT } from '../../errors/exit-codes.ts'
import { reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import type { WorkerAnswer } from './ask-worker.ts'
import { workerRemedy } from './worker-remedy.ts'

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
