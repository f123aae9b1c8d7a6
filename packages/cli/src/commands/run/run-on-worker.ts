import { resolve } from 'node:path'
import {
  actionsIn,
  ERRORS,
  isErrorCode,
  isJsonObject,
  parseName,
  reasonOf,
  StewardError,
  unwrap,
} from '@steward/contract'
import { askWorker, type Home, resolveHome, type WorkerAnswer } from '@steward/platform'
import { catalogRoots, createCatalog } from '@steward/runner'
import { type OpenWorker, openWorker } from '../../edge/open-worker.ts'
import { EXIT } from '../../errors/exit-codes.ts'
import { reportProblem } from '../../errors/report-error.ts'
import { gatherInput } from '../../input/gather-input.ts'
import { suggestOptions } from '../../input/suggest-options.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findInstallation } from '../../setup/installation.ts'
import { declaredByName } from './declared-by-name.ts'
import type { RunRequest } from './request.ts'

/** Calls the worker on the local edge or the deployed one; returns the exit code. */
export const runOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
  const name = unwrap(parseName(request.name))
  if (name.primitive === 'flow') return triggerOnWorker(io, request)
  const home = resolveHome(io.env, io.homedir)
  refuseAssistants(home, request.name)
  const declared = await declaredHere(home, request.name)
  suggestOptions(request.flags.keys(), declared, request.options)
  const access = await openWorker(io, request.name, request)
  const input = await gatherInput(io, { ...request, declared })
  const startedAt = io.now()
  const { idempotencyKey } = request
  const answer = await askWorker(access, input, { fetch, signal: io.signal, idempotencyKey })
  const took = formatDuration(io.now() - startedAt)
  if (!request.quiet) {
    io.err.write(`${io.err.paint.dim(`${access.worker} answered in ${took} ${placeOf(access)}`)}\n`)
  }
  return printAnswer(io, access.worker, answer, request.wholeAnswer)
}

const placeOf = ({ isLocal, url }: OpenWorker): string =>
  isLocal ? `(local edge, ${url})` : `(deployed, ${url})`

/** Assistants work on this machine only, so no worker can have them. */
const refuseAssistants = (home: Home, name: string): void => {
  const catalog = createCatalog(catalogRoots(home.user.root, findInstallation().library))
  const needs = (action: string): boolean =>
    catalog.actions.entries().has(action) &&
    catalog.actions.read(action).manifest.requires.includes('assistant')
  const actions = catalog.pipelines.entries().has(name)
    ? actionsIn(catalog.pipelines.load(name).definition.actions)
    : [name]
  const action = actions.find(needs)
  if (action === undefined) return
  const reason = 'no worker has: assistants work on this machine only; add --local'
  throw new StewardError('capability_missing', { action, capability: 'assistant', reason })
}

/** The declarations on this machine, if any, so that input is parsed the same in both modes. */
const declaredHere = async (home: Home, name: string): Promise<Map<string, string>> => {
  const catalog = createCatalog(catalogRoots(home.user.root, findInstallation().library))
  try {
    return await declaredByName(catalog, name)
  } catch (thrown) {
    if (thrown instanceof StewardError) return new Map()
    throw thrown
  }
}

/**
 * `POST /trigger` of a deployed flow, which answers immediately; then reports whether its cron will
 * fire.
 */
const triggerOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
  const force = request.flags.has('force')
  const given = [...request.flags.keys()].filter((key) => key !== 'force')
  if (given.length > 0 || request.positional !== undefined) {
    throw new StewardError('invalid_input', {
      subject: request.name,
      reason: 'a flow reads its sources; give other fields for its pipeline with --input',
    })
  }
  const access = await openWorker(io, request.name, request)
  const { idempotencyKey } = request
  const url = `${access.url.replace(/\/$/, '')}/trigger${force ? '?force=1' : ''}`
  const input =
    request.input === undefined
      ? {}
      : await gatherInput(io, { ...request, flags: new Map(), declared: new Map() })
  const answer = await askWorker({ ...access, url }, input, {
    fetch,
    signal: io.signal,
    idempotencyKey,
  })
  if (!request.quiet) io.err.write(`${io.err.paint.dim(`${access.worker} ${placeOf(access)}`)}\n`)
  const { success, message, run_id: runId } = answer.body
  const started =
    success === true ? { ...answer.body, output: { message, run_id: runId } } : answer.body
  const code = printAnswer(io, access.worker, { ...answer, body: started }, request.wholeAnswer)
  if (!request.quiet && !access.isLocal) await noteProblems(io, access)
  return code
}

/** Only if the account is set, because calling a worker needs no login. */
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

/** A worker's answer on stdout, or its error on stderr; returns the exit code. */
const printAnswer = (
  io: Io,
  worker: string,
  { status, body }: WorkerAnswer,
  wholeAnswer: boolean,
): number => {
  if (wholeAnswer) printJson(io.out, body)
  if (body.success === true) {
    // A missing output counts as empty.
    if (!wholeAnswer) printJson(io.out, isJsonObject(body.output) ? body.output : {})
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

/** The remedy for an error of a deployed worker; local settings do not affect it. */
const workerRemedy = (code: string, worker: string): string | undefined => {
  const short = worker.replace(/^exec-/, '')
  const byCode: Record<string, string> = {
    unauthorized: `AUTH_TOKEN is not set on the worker or differs from yours: steward secrets generate sets one on all workers.`,
    secret_missing: `Set it on the worker: steward secrets set NAME --worker ${short}`,
    invalid_api_key: `The LLM provider says the API key is invalid: steward secrets set LLM_API_KEY --all`,
    rate_limited: 'The caller backs off: wait, lengthen the interval, or raise the limit.',
    binding_missing: `Deploy the target workers before the workers that bind to them: steward workers status ${short} shows which are missing.`,
  }
  return byCode[code] ?? (isErrorCode(code) ? ERRORS[code].remedy : undefined)
}
