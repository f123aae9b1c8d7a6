import { WORKER_KINDS } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Spec 1, Deployment rules: actions first, then the pipelines that bind to them, then the flows. */
export const orderWorkers = (workers: readonly WorkerToDeploy[]): WorkerToDeploy[] =>
  WORKER_KINDS.flatMap((kind) =>
    workers
      .filter(({ facts }) => facts.primitive === kind)
      .toSorted((a, b) => (a.short < b.short ? -1 : 1)),
  )
