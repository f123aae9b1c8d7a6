export * from './action/index.ts'
export * from './flow/index.ts'
export * from './pipeline/index.ts'
