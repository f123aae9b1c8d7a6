import { join } from 'node:path'
import {
  API,
  EVENT_SOURCES,
  type EventSource,
  type ModuleHealth,
  type ObservabilityTarget,
  type StewardEvent,
  type WorkState,
} from '@steward/contract'
import {
  createWatchFolder,
  eventKey,
  LOG_START,
  pushEventsToTargets,
  pushWorkState,
  type TargetOutcome,
  type TransportPorts,
} from '@steward/platform'
import { type DaemonModule, handle, ReadyJson } from '../../module.ts'
import { type Collector, createCollector } from './collect/collector.ts'
import type { ArrivedEvent, SourceHealth } from './collect/source-reader.ts'
import type { EventsPorts } from './ports.ts'
import type { TargetHealth } from './push/push-lane.ts'
import { type Pushed, requestForEvents, requestForState } from './push/push-timing.ts'
import { createPusher } from './push/pusher.ts'
import { createPushedEvents } from './pushed/pushed-events.ts'
import { createRecentEvents } from './recent-events.ts'
import { createRotation } from './rotation.ts'
import { createEventBroadcast } from './stream/event-broadcast.ts'
import { summariseFailures, summariseVoice } from './summaries.ts'

/** Rows shown on the voice and failure pages. */
const SHOWN_ROWS = 100

/** Events: the four sources, incoming pushes, outgoing pushes and open streams. */
export const createEventsModule = (ports: EventsPorts): DaemonModule => {
  const { home, bus, log, settings, environment, redactor, now, setTimer } = ports
  const elapsed = ports.elapsed ?? (() => performance.now())
  const stopping = new AbortController()
  const endings: Array<() => void> = []
  let workState: WorkState | undefined
  let lastStateAt: string | null = null
  let lastEventsAt: string | null = null

  const pushed = createPushedEvents({
    path: join(home.stateDir, 'pushed-events.json'),
    redactor,
    now,
    log,
  })
  const collector: Collector = createCollector({
    root: home.root,
    redactor,
    setTimer,
    watchFolder: ports.watchFolder ?? createWatchFolder(log.warn, { makeMissing: true }),
    log,
    onArrived: (source, arrived) => takeRows(source, arrived),
  })
  const newest = (source: EventSource, count: number): StewardEvent[] =>
    collector.readers.get(source)?.newest(count) ?? []
  const paths = new Map([...collector.readers].map(([source, { path }]) => [source, path]))
  const recent = createRecentEvents({ newest, pushed: pushed.events })
  const broadcast = createEventBroadcast({
    pathOf: (source) => paths.get(source) ?? '',
    redactor,
    pushedSince: pushed.since,
    setTimer,
    log,
  })
  const rotation = createRotation({ paths, settings, now, setTimer, log })
  const pusher = createPusher({
    push: (what, target) => push(what, target),
    now,
    elapsed,
    setTimer,
    log,
  })

  const transport = (): TransportPorts => ({
    fetch: ports.fetch,
    now,
    abortAfter: (delayMs) => AbortSignal.any([ports.abortAfter(delayMs), stopping.signal]),
    environment: environment(),
    redactor: redactor(),
  })
  /**
   * Only events of this machine's own sources are pushed, so that two daemons that push to each
   * other do not loop.
   */
  const push = async (
    what: Pushed,
    target: ObservabilityTarget,
  ): Promise<TargetOutcome | undefined> => {
    if (what === 'events') {
      const [outcome] = await pushEventsToTargets(recent.local(), [target], transport())
      return outcome
    }
    if (workState === undefined) return undefined
    const [outcome] = await pushWorkState(workState, [target], transport())
    return outcome
  }

  const takeRows = (source: EventSource, arrived: readonly ArrivedEvent[]): void => {
    const news: StewardEvent[] = []
    for (const row of arrived) {
      // Clients already have an event that was pushed before its row was read.
      if (pushed.forget(row.event)) {
        broadcast.passRow(source, row)
      } else {
        broadcast.sendRow(source, row)
        news.push(row.event)
      }
    }
    recent.invalidate()
    announce(news)
    pusher.request(requestForEvents(arrived.map(({ event }) => event)))
  }
  const announce = (events: readonly StewardEvent[]): void => {
    if (events.length === 0) return
    lastEventsAt = new Date(now()).toISOString()
    bus.publish('events.arrived', { events })
  }

  const takePush = async (body: unknown) => {
    // A hook appends its row and pushes it right after: the row takes precedence.
    await collector.catchUp()
    const local = new Set(
      [...collector.readers.values()].flatMap((reader) =>
        reader.newest(Number.MAX_SAFE_INTEGER).map(eventKey),
      ),
    )
    const { accepted, rejected, fresh } = await pushed.accept(body, (event) =>
      local.has(eventKey(event)),
    )
    recent.invalidate()
    broadcast.sendPushed(fresh)
    announce(fresh.map(({ event }) => event))
    return { ok: true as const, accepted, rejected }
  }

  return {
    name: 'observability',
    handlers: [
      handle(API.listRecentEvents, () => new ReadyJson(recent.body())),
      handle(API.getObservabilityEvents, () => ({
        events: pushed.events(),
        receivedAt: pushed.receivedAt(),
      })),
      handle(API.pushObservabilityEvents, ({ body }) => takePush(body)),
      handle(API.streamEvents, ({ query }, call) => broadcast.open(call, query.after)),
      handle(API.listVoiceEvents, () => {
        const events = newest('voice', SHOWN_ROWS)
        return { events, summary: summariseVoice(events) }
      }),
      handle(API.listToolFailures, () => {
        const events = newest('tool-failure', SHOWN_ROWS)
        return { events, summary: summariseFailures(events, now()) }
      }),
    ],
    start: async () => {
      await pushed.load()
      await collector.start()
      broadcast.setStart(positionsOf(collector), pushed.sequence())
      endings.push(
        bus.subscribe('work-state.changed', ({ state }) => {
          const requests = requestForState(workState, state)
          workState = state
          lastStateAt = new Date(now()).toISOString()
          pusher.request(requests)
        }),
        bus.subscribe('settings.changed', ({ settings: changed }) =>
          pusher.setTargets(changed.observability.targets),
        ),
      )
      pusher.setTargets(settings().observability.targets)
      rotation.start()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      pusher.stop()
      stopping.abort()
      rotation.stop()
      await collector.stop()
    },
    health: () =>
      describeEventsHealth({
        sources: new Map(
          [...collector.readers].map(([source, reader]) => [source, reader.health()]),
        ),
        targets: pusher.health(),
        rotationErrors: rotation.errors(),
        watching: collector.isWatching(),
        streams: broadcast.clients(),
        lastEventsAt,
        lastStateAt,
      }),
  }
}

const positionsOf = ({ readers }: Collector) => {
  const at = (source: EventSource) => readers.get(source)?.position() ?? LOG_START
  return {
    'tool-activity': at('tool-activity'),
    'tool-failure': at('tool-failure'),
    voice: at('voice'),
    subagent: at('subagent'),
  }
}

interface EventsFacts {
  sources: ReadonlyMap<EventSource, SourceHealth>
  targets: readonly TargetHealth[]
  rotationErrors: ReadonlyMap<EventSource, string>
  watching: boolean
  streams: number
  lastEventsAt: string | null
  lastStateAt: string | null
}

/** Facts 2.1: `lastStateAt` and `lastEventsAt`, plus the state of each source and target. */
const describeEventsHealth = (facts: EventsFacts): ModuleHealth => {
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
