import { resolve } from 'node:path'
import { parseName, reasonOf, StewardError } from '@steward/contract'
import { type Home, resolveHome } from '@steward/platform'
import { catalogRoots, createCatalog } from '@steward/runner'
import { gatherInput } from '../../input/gather-input.ts'
import { suggestOptions } from '../../input/suggest-options.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findInstallation } from '../../setup/installation.ts'
import { askWorker } from './ask-worker.ts'
import { declaredByName } from './declared-by-name.ts'
import { type OpenWorker, openWorker } from './open-worker.ts'
import { printAnswer } from './print-answer.ts'
import type { RunRequest } from './request.ts'

/** Calls the deployed worker; answers with the exit code. */
export const runOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
  const name = parseName(request.name)
  if (!name.ok) throw name.error
  if (name.value.primitive === 'flow') return triggerOnWorker(io, request)
  const home = resolveHome(io.env, io.homedir)
  const declared = await declaredHere(home, request.name)
  suggestOptions(request.flags.keys(), declared, request.options)
  const access = await openWorker(io, request.name)
  const input = await gatherInput(io, { ...request, declared })
  const startedAt = io.now()
  const answer = await askWorker(access, input, { fetch, signal: io.signal })
  const took = formatDuration(io.now() - startedAt)
  if (!request.quiet) io.err.write(`${io.err.paint.dim(`${access.worker} answered in ${took}`)}\n`)
  return printAnswer(io, access.worker, answer, request.wholeAnswer)
}

/** What the definition on this machine declares, if there is one: the same words mean the same in both modes. */
const declaredHere = async (home: Home, name: string): Promise<Map<string, string>> => {
  const catalog = createCatalog(catalogRoots(home.user.root, findInstallation().library))
  try {
    return await declaredByName(catalog, name)
  } catch (thrown) {
    if (thrown instanceof StewardError) return new Map()
    throw thrown
  }
}

/** `POST /trigger` of a deployed flow, which answers at once; then whether its cron will fire, too. */
const triggerOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
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
