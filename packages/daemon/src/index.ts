export { indexSessions } from './modules/history/fill-index.ts'
export * from './start-daemon.ts'
