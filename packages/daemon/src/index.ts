export * from './start-daemon.ts'
