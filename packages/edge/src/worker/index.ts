export { type ActionWorkerOptions, createActionWorker } from './action-worker.ts'
export type { WorkerEnv } from './env.ts'
export { createPipelineWorker } from './pipeline-worker.ts'
export type { FetchHandler, WorkerContext, WorkerPorts } from './platform.ts'
