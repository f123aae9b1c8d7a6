import { isErrorCode } from '@steward/contract'
import { answerOf, type FlowOutcome, type LocalRuntime, type PlanOutcome } from '@steward/runner'
import { EXIT, exitCodeOf, exitCodeOfRun } from '../errors/exit-codes.ts'
import { reportError } from '../errors/report-error.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { formatDuration, formatSpend } from '../output/format.ts'
import { printJson } from '../output/print-json.ts'
import { COMMAND } from '../setup/command-name.ts'

/** The output on stdout, or the error on stderr; returns the exit code. */
export const printOutcome = (
  io: Io,
  outcome: PlanOutcome,
  { wholeAnswer, quiet }: { wholeAnswer: boolean; quiet: boolean },
): number => {
  const { result, runId } = outcome
  if (wholeAnswer) printJson(io.out, { ...answerOf(outcome), run_id: runId })
  if ('error' in result) {
    reportError(io, result.error, runId)
    return exitCodeOfRun(result.error.code, outcome.steps.length)
  }
  if (!wholeAnswer && result.filtered === undefined) printJson(io.out, result.output)
  if (!quiet) io.err.write(`${io.err.paint.dim(closingLine(outcome))}\n`)
  return EXIT.success
}

const closingLine = ({ name, runId, durationMs, spend, result }: PlanOutcome): string => {
  const parts = [formatDuration(durationMs), formatSpend(spend)].filter((part) => part !== '')
  const filtered = 'output' in result ? result.filtered : undefined
  const end = filtered === undefined ? 'completed' : `filtered by ${filtered}`
  return `${name} ${end} in ${parts.join(', ')} (run ${runId})`
}

/** Prints the result of a flow run; returns the exit code. */
export const printFlowOutcome = (
  io: Io,
  { runId, flow, summary }: FlowOutcome,
  { home }: Pick<LocalRuntime, 'home'>,
  json: boolean,
): number => {
  const failed = summary.outcome === 'failed'
  const isPartial = summary.outcome === 'partial'
  if (json) {
    printJson(io.out, { success: !failed && !isPartial, flow, run_id: runId, ...summary })
  } else {
    const { paint } = io.out
    const colour = failed ? paint.red : isPartial ? paint.yellow : paint.green
    const took = [formatDuration(summary.durationMs), formatSpend(summary.spend)]
    io.out.write(`${flow} ${colour(summary.outcome)}: ${cleanText(summary.reason)}\n`)
    io.out.write(`  took   ${took.filter((part) => part !== '').join(', ')}\n`)
    io.out.write(`  run    ${COMMAND} runs show ${runId}\n`)
    io.out.write(`  state  ${home.flowState}\n`)
    const { waiting, failed: failing, givenUp, rejected } = summary.items
    if (waiting + failing + givenUp + rejected > 0) {
      io.out.write(`  items  ${COMMAND} flows items ${flow}\n`)
    }
  }
  for (const { item, code, message } of summary.errors) {
    const which = item === null ? '' : `${cleanText(item)}: `
    io.err.write(`${io.err.paint.red('error:')} ${which}${cleanText(message)} (${code})\n`)
  }
  const { blocked } = summary
  if (failed && blocked !== null && isErrorCode(blocked.code)) return exitCodeOf(blocked.code)
  if (failed) return EXIT.failed
  return isPartial ? EXIT.partial : EXIT.success
}
