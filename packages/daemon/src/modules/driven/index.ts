export * from './driven-module.ts'
