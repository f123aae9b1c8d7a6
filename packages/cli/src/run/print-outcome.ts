import { answerOf, type ChainOutcome } from '@steward/runner'
import { EXIT, exitCodeOfRun } from '../errors/exit-codes.ts'
import { reportError } from '../errors/report-error.ts'
import type { Io } from '../io.ts'
import { formatDuration, formatSpend } from '../output/format.ts'
import { printJson } from '../output/print-json.ts'

/** The output on stdout, or the error on stderr; answers with the exit code. */
export const printOutcome = (
  io: Io,
  outcome: ChainOutcome,
  { wholeAnswer, quiet }: { wholeAnswer: boolean; quiet: boolean },
): number => {
  const { result, runId } = outcome
  if (wholeAnswer) printJson(io.out, { ...answerOf(outcome), run_id: runId })
  if ('error' in result) {
    reportError(io, result.error, runId)
    return exitCodeOfRun(result.error.code, outcome.steps.length)
  }
  if (!wholeAnswer) printJson(io.out, result.output)
  if (!quiet) io.err.write(`${io.err.paint.dim(closingLine(outcome))}\n`)
  return EXIT.success
}

const closingLine = ({ name, runId, durationMs, spend }: ChainOutcome): string => {
  const parts = [formatDuration(durationMs), formatSpend(spend)].filter((part) => part !== '')
  return `${name} completed in ${parts.join(', ')} (run ${runId})`
}
