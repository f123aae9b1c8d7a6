export { isErrorCode, StewardError } from '../errors.ts'
export * from './daemon-client.ts'
export { OPERATIONS } from './operations.ts'
