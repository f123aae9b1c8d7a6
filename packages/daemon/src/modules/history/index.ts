export * from './history-module.ts'
