import { type RunDetail, StewardError } from '@steward/contract'
import type { RunHistory } from './history.ts'

/** The run that an id, a part of one, or `last` refers to. */
export const findRun = (history: RunHistory, reference: string): RunDetail => {
  const id = history.resolveId(reference)
  const run = id === undefined ? undefined : history.get(id)
  if (run !== undefined) return run
  const hint = '; `steward runs` lists runs, `last` is the latest'
  throw new StewardError('not_found', { what: 'run', name: reference, hint })
}
