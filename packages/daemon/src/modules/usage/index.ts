export { createUsageModule } from './usage-module.ts'
