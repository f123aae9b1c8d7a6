export * from './demo-module.ts'
