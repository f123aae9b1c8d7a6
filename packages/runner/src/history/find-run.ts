import { type RunDetail, type RunRecord, StewardError } from '@steward/contract'
import type { RunHistory } from './history.ts'

/** The run that an id, a part of one, or `last` refers to. */
export const findRun = (history: RunHistory, reference: string): RunDetail =>
  history.get(idOf(history, reference)) ?? refuse(reference)

/** As `findRun`, without delaying other work while a large run is masked. */
export const showRun = async (history: RunHistory, reference: string): Promise<RunDetail> =>
  (await history.show(idOf(history, reference))) ?? refuse(reference)

/** The run without its steps and values. */
export const findRecord = (history: RunHistory, reference: string): RunRecord =>
  history.record(idOf(history, reference)) ?? refuse(reference)

const idOf = (history: RunHistory, reference: string): string =>
  history.resolveId(reference) ?? refuse(reference)

const refuse = (reference: string): never => {
  const hint = '; `steward runs` lists runs, `last` is the latest'
  throw new StewardError('not_found', { what: 'run', name: reference, hint })
}
