export * from './hosted-module.ts'
export * from './run-hosted-agent.ts'
