import type { StewardError } from '@steward/contract'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { COMMAND } from '../setup/command-name.ts'

export interface Problem {
  message: string
  code: string
  remedy?: string
  runId?: string
}

/** Reports an error on stderr: message, code, remedy, and the run with the details. */
export const reportProblem = (io: Io, problem: Problem): void => {
  const { paint } = io.err
  const lines = [`${paint.red('error:')} ${cleanText(problem.message)}`, `  code: ${problem.code}`]
  if (problem.remedy !== undefined) lines.push(`  what to do: ${problem.remedy}`)
  if (problem.runId !== undefined) {
    lines.push(`  run: ${problem.runId} (${COMMAND} runs show ${problem.runId})`)
  }
  io.err.write(`${lines.join('\n')}\n`)
}

export const reportError = (io: Io, error: StewardError, runId?: string): void => {
  reportProblem(io, {
    message: error.message,
    code: error.code,
    remedy: error.remedy,
    ...(runId === undefined ? {} : { runId }),
  })
  if (io.env.STEWARD_DEBUG) io.err.write(`${describeStack(error)}\n`)
}

const describeStack = (error: Error): string => {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by ${describeStack(error.cause)}` : own
}
