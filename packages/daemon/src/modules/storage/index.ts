export { createStorageModule } from './storage-module.ts'
