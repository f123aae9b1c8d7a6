export * from './flow-runner.ts'
export * from './notice-of-run.ts'
