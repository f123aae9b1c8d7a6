export { describeHookPages } from './modules/wiki/index.ts'
export * from './server/daemon-info.ts'
export * from './start-daemon.ts'
