export * from './driven-module.ts'
export * from './machine-ports.ts'
