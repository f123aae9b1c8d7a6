export * from './action-hosts.ts'
