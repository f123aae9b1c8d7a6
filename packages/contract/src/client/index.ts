export * from './daemon-client.ts'
export { OPERATIONS } from './operations.ts'
