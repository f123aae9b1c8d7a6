import { ERRORS, isErrorCode, isFields, parseName, StewardError } from '@steward/contract'
import { catalogRoots, createCatalog } from '@steward/local'
import {
  createEnvironment,
  type Home,
  readEnvFile,
  readSettings,
  resolveHome,
} from '@steward/memory'
import { EXIT } from '../errors/exit-codes.ts'
import { reportProblem } from '../errors/report-error.ts'
import { checkOptionSlips } from '../input/check-option-slips.ts'
import { gatherInput } from '../input/gather-input.ts'
import type { Io } from '../io.ts'
import { formatDuration } from '../output/format.ts'
import { printJson } from '../output/print-json.ts'
import { findInstallation } from '../setup/installation.ts'
import { askWorker, type WorkerAnswer } from './ask-worker.ts'
import { declaredByName } from './declared-by-name.ts'
import type { RunRequest } from './request.ts'
import { findWorker } from './worker-address.ts'

/** Calls the deployed worker; answers with the exit code. */
export const runOnWorker = async (io: Io, request: RunRequest): Promise<number> => {
  const name = parseName(request.name)
  if (!name.ok) throw name.error
  if (name.value.primitive === 'flow') {
    throw new StewardError('invalid_input', {
      subject: request.name,
      reason: `a flow is started with its source: steward trigger ${request.name}`,
    })
  }
  const home = resolveHome(io.env, io.homedir)
  const declared = await declaredHere(home, request.name)
  checkOptionSlips(request.flags.keys(), declared, request.options)
  const settings = await readSettings(home)
  if (!settings.ok) throw settings.error
  const envFile = await readEnvFile(home.envFile)
  if (!envFile.ok) throw envFile.error
  const { AUTH_TOKEN } = createEnvironment(io.env, envFile.value)
  const access = findWorker(request.name, settings.value.edge, AUTH_TOKEN)
  const input = await gatherInput(io, { ...request, declared })
  const startedAt = io.now()
  const answer = await askWorker(access, input, { fetch, signal: io.signal })
  const took = formatDuration(io.now() - startedAt)
  if (!request.quiet) io.err.write(`${io.err.paint.dim(`${access.worker} answered in ${took}`)}\n`)
  return printAnswer(io, answer, request.wholeAnswer)
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

const printAnswer = (io: Io, { status, body }: WorkerAnswer, wholeAnswer: boolean): number => {
  if (wholeAnswer) printJson(io.out, body)
  if (body.success === true) {
    // A missing output is read as an empty one.
    if (!wholeAnswer) printJson(io.out, isFields(body.output) ? body.output : {})
    return EXIT.success
  }
  const code = typeof body.code === 'string' ? body.code : 'upstream_failed'
  const runId = typeof body.run_id === 'string' ? { runId: body.run_id } : {}
  const remedy = isErrorCode(code) ? { remedy: ERRORS[code].remedy } : {}
  reportProblem(io, { message: String(body.error ?? 'failed'), code, ...remedy, ...runId })
  return status === 401 ? EXIT.notConfigured : EXIT.failed
}
