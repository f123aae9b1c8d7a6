export { type ActionWorkerOptions, createActionWorker } from './action-worker.ts'
export { type RunScope, sealIsolate } from './capabilities/sealed-isolate.ts'
export { createWorkerLlm } from './capabilities/worker-llm.ts'
export { createDashboardWorker } from './dashboard/create-dashboard-worker.ts'
export { SYNC_BINDING } from './dashboard/sync-store.ts'
export type { WorkerEnv } from './env.ts'
export type { FlowAssets } from './flow/assets.ts'
export { NOTIFY_SECRET } from './flow/notify-of-run.ts'
export { createFlowWorker, type FlowWorker } from './flow-worker.ts'
export { createInboxWorker, type InboxHook } from './inbox/create-inbox-worker.ts'
export { createPipelineWorker } from './pipeline-worker.ts'
export type { FetchHandler, WorkerContext, WorkerPorts } from './platform.ts'
export { createRelayClass } from './relay/create-relay-class.ts'
export {
  createRelayWorker,
  type PhonePage,
  RELAY_BINDING,
  RELAY_CLASS,
} from './relay/create-relay-worker.ts'
export { createContainerClass } from './sandbox/create-container-class.ts'
export { createSandboxWorker } from './sandbox/create-sandbox-worker.ts'
