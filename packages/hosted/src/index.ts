export type * from './brain/brain.ts'
export {
  costOfSession,
  isOverBudget,
  type SessionCost,
  usageOfSession,
} from './brain/cost/session-cost.ts'
export { createBrain } from './brain/create-brain.ts'
export type * from './brain/models/model.ts'
export { ModelFailure } from './brain/models/model-failure.ts'
export type { HostedDatabase } from './database/hosted-database.ts'
export { openSqlite } from './database/open-sqlite.ts'
export type * from './hands/hands.ts'
