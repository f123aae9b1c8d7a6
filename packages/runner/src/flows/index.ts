export * from './flow-runner.ts'
export * from './flow-times.ts'
export * from './notice-of-run.ts'
