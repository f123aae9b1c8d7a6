export * from './backup-module.ts'
export * from './spawn-backup.ts'
