export * from './live-module.ts'
