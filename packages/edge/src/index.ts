export * from './build/index.ts'
export * from './deploy/index.ts'
export * from './local/index.ts'
