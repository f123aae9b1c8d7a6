export * from './work-module.ts'
