export { isErrorCode, StewardError } from '../errors.ts'
export { isJsonObject } from '../is-json-object.ts'
export * from './daemon-client.ts'
export { OPERATIONS } from './operations.ts'
