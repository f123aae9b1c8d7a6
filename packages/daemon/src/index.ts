export * from './server/daemon-info.ts'
export * from './settings/expand-variables.ts'
export * from './start-daemon.ts'
