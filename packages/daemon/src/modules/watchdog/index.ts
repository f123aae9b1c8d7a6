export * from './watchdog-module.ts'
