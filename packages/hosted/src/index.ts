export { createHostedApi, type HostedApi } from './api/create-hosted-api.ts'
export {
  HOSTED_API_LIMITS,
  type HostedApiLimits,
  type HostedApiPorts,
  type SessionOutput,
} from './api/ports.ts'
export { type HostedServer, type ServeOptions, serveHostedApi } from './api/serve-hosted-api.ts'
export type * from './brain/brain.ts'
export {
  costOfSession,
  isOverBudget,
  type SessionCost,
  usageOfSession,
} from './brain/cost/session-cost.ts'
export { createBrain } from './brain/create-brain.ts'
export { createHostedModel, type HostedModelPorts } from './brain/models/create-hosted-model.ts'
export type * from './brain/models/model.ts'
export { ModelFailure } from './brain/models/model-failure.ts'
export type { HostedDatabase } from './database/hosted-database.ts'
export { openSqlite } from './database/open-sqlite.ts'
export type * from './hands/hands.ts'
export { type StoredKey, toHostedKey } from './keys/key.ts'
export { createKey, listKeys, type NewKey, revokeKey } from './keys/keys.ts'
export { createSeal, type Seal } from './vaults/seal.ts'
