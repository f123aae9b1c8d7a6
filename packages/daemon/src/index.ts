export { describeHookPages } from './modules/wiki/index.ts'
export * from './start-daemon.ts'
