export * from './hosted-module.ts'
