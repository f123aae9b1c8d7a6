export * from './assistant-module.ts'
