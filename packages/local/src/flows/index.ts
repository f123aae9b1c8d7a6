export * from './create-flow-runner.ts'
export * from './flow-runner.ts'
