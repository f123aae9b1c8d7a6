export { serveAction } from './serve-action.ts'
