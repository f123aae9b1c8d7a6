import { nearestHint, StewardError, shortName } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** The workers that words stand for: `a-label-and-rate`, `exec-a-label-and-rate` or `A_LABEL_AND_RATE`. */
export const selectWorkers = (
  workers: readonly WorkerToDeploy[],
  words: readonly string[],
): WorkerToDeploy[] => {
  const byShort = new Map(workers.map((worker) => [worker.short, worker]))
  const chosen = words.map((word) => {
    const worker = byShort.get(shortOf(word))
    if (worker !== undefined) return worker
    throw new StewardError('not_found', {
      what: 'worker directory',
      name: shortOf(word),
      hint: `${nearestHint(shortOf(word), byShort.keys())}; \`steward edge build\` makes what is missing`,
    })
  })
  return [...new Set(chosen)]
}

/** The short form of any spelling of a worker. */
export const shortOf = (word: string): string => shortName(word).replace(/^exec-/, '')
