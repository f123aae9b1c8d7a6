export * from './guards-module.ts'
