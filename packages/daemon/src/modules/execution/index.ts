export * from './execution-module.ts'
