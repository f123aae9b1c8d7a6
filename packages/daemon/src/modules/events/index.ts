export { createEventsModule } from './events-module.ts'
export type { EventsPorts } from './ports.ts'
