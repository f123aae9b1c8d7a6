import {
  type AlgorithmView,
  API,
  type ModuleHealth,
  ok,
  type Result,
  StewardError,
  unwrap,
  type WorkState,
} from '@steward/contract'
import { archiveSessions, collectEvents } from '@steward/platform'
import { type DaemonModule, type Handler, handle, ReadyJson } from '../../module.ts'
import { createAlgorithmStream } from './algorithm-stream.ts'
import { createAlgorithmView } from './algorithm-view.ts'
import { describeMenubar } from './describe-menubar.ts'
import type { SessionsPorts } from './ports.ts'
import { createPushedState, sessionsIn } from './pushed-state.ts'
import { createSubagents } from './subagents.ts'
import { createWorkStateWatcher } from './work-state-watcher.ts'

const ARCHIVE_MS = 3_600_000
const NO_WORK: WorkState = { sessions: {} }

/** Sessions: the work state for dashboards, pushed states, and subagents. */
export const createSessionsModule = (ports: SessionsPorts): DaemonModule => {
  const { home, bus, log, now, setTimer, redactor } = ports
  const endings: Array<() => void> = []
  const startedMs = now()
  let wasThere = false
  let lastChangeAt: string | null = null
  let archiveFault: string | undefined
  let endArchiveTimer = (): void => undefined

  const view = createAlgorithmView(ports)
  const pushed = createPushedState(ports)
  const takeState = (state: Result<WorkState>): void => {
    lastChangeAt = new Date(now()).toISOString()
    if (state.ok) {
      wasThere = true
      bus.publish('work-state.changed', { state: state.value })
    }
    stream.refresh()
  }
  const watcher = createWorkStateWatcher(ports, takeState)
  const subagents = createSubagents(ports, () => stream.refresh())
  const describe = (state: WorkState) => view.answer(state, subagents.agents(), pushed.remote())
  /** Without a file of its own, a machine still shows the work of others. */
  const shownState = (state: Result<WorkState>): Result<WorkState> => {
    const isMissing = !state.ok && state.error.code === 'work_state_missing'
    return isMissing && pushed.remote().length > 0 ? ok(NO_WORK) : state
  }
  const stream = createAlgorithmStream({
    now,
    setTimer,
    current: () => shownState(watcher.current()),
    describe: (state) => describe(state).body,
    untilMs: view.untilMs,
  })

  const archive = async (): Promise<void> => {
    if (watcher.current().ok) {
      const done = await archiveSessions(home, { now, redactor: redactor() })
      archiveFault = done.ok ? undefined : `old sessions are not archived: ${done.error.message}`
      if (archiveFault !== undefined) log.error(archiveFault)
    }
    endArchiveTimer = setTimer(ARCHIVE_MS, () => void archive())
  }

  const readState = async () => {
    const receivedAt = pushed.receivedAt()
    if (receivedAt !== null) {
      return { sessions: pushed.sessions(), source: 'push' as const, receivedAt }
    }
    const state = await watcher.read()
    if (!state.ok && state.error.code !== 'work_state_missing') throw state.error
    const sessions = state.ok ? sessionsIn({ state: state.value }) : {}
    return { sessions, source: 'file' as const, receivedAt: null }
  }

  return {
    name: 'sessions',
    handlers: [
      handle(API.getAlgorithm, async () => {
        const state = unwrap(shownState(await watcher.read()))
        return new ReadyJson(describe(state).body)
      }),
      handle(API.streamAlgorithm, (_, call) => stream.open(call)),
      handle(API.getObservabilityState, readState),
      handle(API.pushObservabilityState, async ({ body }) => {
        await pushed.accept(body)
        stream.refresh()
        bus.publish('live.changed', { topics: ['sessions'] })
        return { ok: true as const }
      }),
      handle(API.listAgents, () => ({
        events: [...subagents.events()],
        agents: [...subagents.agents()],
      })),
      handle(API.getMenubar, async () => {
        const state = shownState(await watcher.read())
        const { view: shown } = describe(state.ok ? state.value : NO_WORK)
        const jobs = await ports.jobs.countJobs()
        return describeMenubar(shown, { nowMs: now(), startedMs, jobs })
      }),
      ...createLoopHandlers(),
    ],
    start: async () => {
      endings.push(bus.subscribe('settings.changed', stream.refresh))
      const { events } = await collectEvents(home)
      await pushed.load()
      await subagents.start()
      await watcher.start(events.length > 0)
      await archive()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      watcher.stop()
      subagents.stop()
      stream.stop()
      endArchiveTimer()
    },
    health: () => {
      const state = watcher.current()
      return describeSessionsHealth({
        state,
        wasThere,
        view: state.ok ? describe(state.value).view : undefined,
        setAside: watcher.setAside(),
        subagentFault: subagents.fault(),
        archiveFault,
        lastChangeAt,
        pushedAt: pushed.receivedAt(),
        streams: stream.clients(),
      })
    },
  }
}

/** Spec 2, Reserved stubs: the paths exist and report that they are reserved. */
const createLoopHandlers = (): Handler[] => [
  handle(API.listLoops, notAvailable),
  handle(API.getLoopControl, notAvailable),
  handle(API.controlLoop, refuse),
  handle(API.startLoop, refuse),
]

const notAvailable = () => ({ status: 'not_available' as const, loops: [], prds: [] })

const refuse = (): never => {
  throw new StewardError('not_available', {
    subject: 'loop control',
    reason: 'the path is reserved',
    status: 'not_available',
  })
}

interface SessionsFacts {
  state: Result<WorkState>
  /** Whether the file has existed since the start. */
  wasThere: boolean
  view: AlgorithmView | undefined
  setAside: readonly string[]
  subagentFault: string | undefined
  archiveFault: string | undefined
  lastChangeAt: string | null
  pushedAt: string | null
  streams: number
}

/** A home without any session is not a fault; a file that disappeared or cannot be read is. */
const describeSessionsHealth = (facts: SessionsFacts): ModuleHealth => {
  const { state, view } = facts
  const isMissing = !state.ok && state.error.code === 'work_state_missing'
  const reasons = [
    ...(state.ok || (isMissing && !facts.wasThere) ? [] : [state.error.message]),
    ...facts.setAside.map((name) => `an unreadable work state is kept as ${name}`),
    ...[facts.subagentFault, facts.archiveFault].filter((fault) => fault !== undefined),
  ]
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ...(reasons.length === 0 ? {} : { reasons }),
    workState: state.ok ? 'ok' : isMissing ? 'missing' : 'unreadable',
    shown: view?.algorithms.length ?? 0,
    active: view?.algorithms.filter(({ active }) => active).length ?? 0,
    lastChangeAt: facts.lastChangeAt,
    pushedAt: facts.pushedAt,
    streams: facts.streams,
  }
}
