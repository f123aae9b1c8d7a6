import type { WorkerToDeploy } from './worker-to-deploy.ts'

export interface WorkersWithoutContainers {
  kept: WorkerToDeploy[]
  /** What stays behind, and why. */
  left: { worker: string; reason: string }[]
}

/** The workers that run without a container image, and without one that binds to one that needs it. */
export const leaveOutContainers = (
  workers: readonly WorkerToDeploy[],
): WorkersWithoutContainers => {
  const reasons = new Map<string, string>()
  for (const { configuration } of workers) {
    if (configuration.containers.length > 0) reasons.set(configuration.name, 'runs in a container')
  }
  // Each round finds what binds to something left out in the round before: pipelines, then flows.
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
