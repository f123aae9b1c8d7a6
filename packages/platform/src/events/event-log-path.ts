import { join } from 'node:path'
import { EVENT_SOURCES, type EventSource } from '@steward/contract'
import type { Home } from '../home/home.ts'

/** The log of an event source in a data home. */
export const eventLogPath = (home: Pick<Home, 'root'>, source: EventSource): string =>
  join(home.root, EVENT_SOURCES[source].file)
