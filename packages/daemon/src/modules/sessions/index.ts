export type { SessionsPorts } from './ports.ts'
export * from './sessions-module.ts'
