export * from './sessions-module.ts'
