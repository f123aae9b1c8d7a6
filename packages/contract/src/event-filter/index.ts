export { parseEventFilter } from './parse-event-filter.ts'
