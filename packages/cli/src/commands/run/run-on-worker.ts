import { parseName, StewardError } from '@steward/contract'
import { type Home, resolveHome } from '@steward/platform'
import { catalogRoots, createCatalog } from '@steward/runner'
import { gatherInput } from '../../input/gather-input.ts'
import { suggestOptions } from '../../input/suggest-options.ts'
import type { Io } from '../../io.ts'
import { formatDuration } from '../../output/format.ts'
import { findInstallation } from '../../setup/installation.ts'
import { askWorker } from './ask-worker.ts'
import { declaredByName } from './declared-by-name.ts'
import { openWorker } from './open-worker.ts'
import { printAnswer } from './print-answer.ts'
import type { RunRequest } from './request.ts'
import { triggerOnWorker } from './trigger-on-worker.ts'

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
