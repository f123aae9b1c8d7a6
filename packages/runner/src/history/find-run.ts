import { type RunDetail, StewardError } from '@steward/contract'
import type { RunHistory } from './history.ts'

/** The run of that id, or of the only id that begins so. */
export const findRun = (history: RunHistory, idOrBeginning: string): RunDetail => {
  const id = history.resolveId(idOrBeginning)
  const run = id === undefined ? undefined : history.get(id)
  if (run !== undefined) return run
  const hint = ' (steward runs lists them; a beginning of an id must fit one run only)'
  throw new StewardError('not_found', { what: 'run', name: idOrBeginning, hint })
}
