import { nearestHint, StewardError, shortName } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Finds workers by any spelling: `a-label-and-rate`, `exec-a-label-and-rate` or `A_LABEL_AND_RATE`. */
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
      hint: `${nearestHint(shortOf(word), byShort.keys())}; create missing workers with \`steward edge build\``,
    })
  })
  return [...new Set(chosen)]
}

/**
 * Adds the workers that these call, directly or through others, as far as they were built, and the
 * inbox if one gets its webhooks through it.
 */
export const withCalledWorkers = (
  built: readonly WorkerToDeploy[],
  chosen: readonly WorkerToDeploy[],
): WorkerToDeploy[] => {
  const all = new Set(chosen)
  // Iterating over a set also visits elements that are added meanwhile.
  for (const { configuration, facts } of all) {
    for (const { service } of configuration.services) {
      const called = built.find((each) => each.configuration.name === service)
      if (called !== undefined) all.add(called)
    }
    const inbox = built.find((each) => each.facts.serves?.includes(facts.name))
    if (inbox !== undefined) all.add(inbox)
  }
  return [...all]
}

/** The short name for any spelling of a worker. */
export const shortOf = (word: string): string => shortName(word).replace(/^exec-/, '')

export interface WorkersWithoutContainers {
  kept: WorkerToDeploy[]
  /** The workers that were left out, and why. */
  left: { worker: string; reason: string }[]
}

/** Leaves out workers that run in a container, and workers that bind to them. */
export const leaveOutContainers = (
  workers: readonly WorkerToDeploy[],
): WorkersWithoutContainers => {
  const reasons = new Map<string, string>()
  for (const { configuration } of workers) {
    if (configuration.containers.length > 0) reasons.set(configuration.name, 'runs in a container')
  }
  // Each round finds workers that bind to one left out in the round before: pipelines, then flows.
  for (let before = -1; before !== reasons.size; ) {
    before = reasons.size
    for (const { configuration } of workers) {
      const target = configuration.services.find(({ service }) => reasons.has(service))
      if (target === undefined || reasons.has(configuration.name)) continue
      reasons.set(configuration.name, `binds to ${target.service}`)
    }
  }
  return {
    kept: workers.filter(({ configuration }) => !reasons.has(configuration.name)),
    left: [...reasons].map(([worker, reason]) => ({ worker, reason })),
  }
}
