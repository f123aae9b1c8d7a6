export { createSecurityModule } from './security-module.ts'
