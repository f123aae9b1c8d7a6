export { createSecurityModule, type SecurityModulePorts } from './security-module.ts'
