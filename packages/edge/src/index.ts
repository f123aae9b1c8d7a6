export { type BuildReport, buildWorkers } from './build/build-workers.ts'
export { type Mistake, readEdgeCatalog } from './build/catalog.ts'
export { resourcesOf } from './build/resources.ts'
export { EDGE_LIBRARY } from './edge-root.ts'
export type { WorkerAddress } from './local/local-edge.ts'
export {
  describeQueues,
  openQueueView,
  type QueueLine,
  type QueueView,
} from './local/queue-view.ts'
export { type RunningEdge, startEdge } from './local/start-edge.ts'
export { startHost } from './local/start-host.ts'
export { readWorkerDirectories } from './local/worker-directory.ts'
export { installEdgeParts, removeEdgeParts } from './parts/install-parts.ts'
