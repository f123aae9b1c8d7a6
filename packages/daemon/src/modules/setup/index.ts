export { createSetupModule } from './setup-module.ts'
