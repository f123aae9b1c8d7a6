export * from './observers-module.ts'
