export * from './learning-module.ts'
