import { EVENT_SOURCES, type EventSource, type ModuleHealth } from '@steward/contract'
import type { SourceHealth } from './collect/source-reader.ts'
import type { TargetHealth } from './push/push-lane.ts'

export interface EventsFacts {
  sources: ReadonlyMap<EventSource, SourceHealth>
  targets: readonly TargetHealth[]
  rotationErrors: ReadonlyMap<EventSource, string>
  watching: boolean
  streams: number
  lastEventsAt: string | null
  lastStateAt: string | null
}

/** Facts 2.1: `lastStateAt` and `lastEventsAt`, plus the state of each source and target. */
export const describeEventsHealth = (facts: EventsFacts): ModuleHealth => {
  const { sources, targets, rotationErrors, ...rest } = facts
  const reasons = [
    ...[...sources].flatMap(([source, { lastError }]) =>
      lastError === null ? [] : [`events of ${source}: ${lastError}`],
    ),
    ...[...rotationErrors].map(([source, reason]) => `rotating ${source}: ${reason}`),
    ...targets.flatMap(({ name, lastError }) =>
      lastError === null ? [] : [`target ${name}: ${lastError}`],
    ),
  ]
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ...(reasons.length === 0 ? {} : { reasons }),
    ...rest,
    sources: Object.fromEntries(
      [...sources].map(([source, health]) => [
        source,
        { file: EVENT_SOURCES[source].file, ...health },
      ]),
    ),
    targets,
  }
}
