export * from './build/index.ts'
