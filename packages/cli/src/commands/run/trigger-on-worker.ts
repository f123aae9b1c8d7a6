import { resolve } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { askWorker } from './ask-worker.ts'
import { type OpenWorker, openWorker } from './open-worker.ts'
import { printAnswer } from './print-answer.ts'
import type { RunRequest } from './request.ts'

/** `POST /trigger` of a deployed flow, which answers at once; then whether its cron will fire, too. */
export const triggerOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
  const force = request.flags.has('force')
  const given = [...request.flags.keys()].filter((key) => key !== 'force')
  if (given.length > 0 || request.positional !== undefined || request.input !== undefined) {
    throw new StewardError('invalid_input', {
      subject: request.name,
      reason: 'a flow takes no input: it reads its source',
    })
  }
  const access = await openWorker(io, request.name)
  const url = `${access.url.replace(/\/$/, '')}/trigger${force ? '?force=1' : ''}`
  const answer = await askWorker({ ...access, url }, {}, { fetch, signal: io.signal })
  const { success, message, run_id: runId } = answer.body
  const started =
    success === true ? { ...answer.body, output: { message, run_id: runId } } : answer.body
  const code = printAnswer(io, access.worker, { ...answer, body: started }, request.wholeAnswer)
  if (!request.quiet) await noteProblems(io, access)
  return code
}

/** Only where the account is set: a call of a worker needs no login. */
const noteProblems = async (io: Io, { worker, account }: OpenWorker): Promise<void> => {
  const short = worker.replace(/^exec-/, '')
  if (account === undefined) {
    io.err.write(`its cron trigger and secrets: ${COMMAND} workers status ${short}\n`)
    return
  }
  try {
    const { DEFAULT_WORKERS, openPlatform, readBuiltWorkers, readWorkerStatus } = await import(
      '@steward/edge/deploy'
    )
    const { api } = await openPlatform(io)
    const directories = await readBuiltWorkers(resolve(io.cwd, DEFAULT_WORKERS))
    const { problems } = await readWorkerStatus(api, worker, directories)
    for (const problem of problems)
      io.err.write(`${io.err.paint.yellow('note:')} ${cleanText(problem)}\n`)
  } catch (thrown) {
    io.err.write(
      `note: the platform could not be asked about ${worker}: ${cleanText(reasonOf(thrown))}\n`,
    )
  }
}
