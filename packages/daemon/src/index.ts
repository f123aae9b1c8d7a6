export * from './server/daemon-info.ts'
export * from './start-daemon.ts'
