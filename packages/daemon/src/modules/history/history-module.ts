import {
  API,
  isJsonObject,
  type SessionDetail,
  type SessionPage,
  type SessionSummary,
  StewardError,
  type StewardEvent,
} from '@steward/contract'
import {
  DEFAULT_THRESHOLDS,
  describeSession,
  eventLogPath,
  type Home,
  normaliseEvent,
  type Redactor,
  readRowsAt,
  readSessionNames,
  readWorkState,
  sessionsOf,
} from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import type { Replying } from '../../ports.ts'
import { createIndexFiller, type IndexFiller, indexPath } from './fill-index.ts'
import { listRemote } from './list-remote.ts'
import type { HistoryPorts } from './ports.ts'
import { createReplies } from './reply.ts'
import {
  byActivity,
  filterOf,
  fits,
  isAfter,
  placeOf,
  type SessionQuery,
} from './session-filter.ts'
import {
  type IndexedPlace,
  type IndexedSession,
  openSessionIndex,
  type SessionIndex,
} from './session-index.ts'

/** Rows of a burst are indexed together. */
const GATHER_MS = 1000
/** A session that is silent for longer was left without an end. */
const INACTIVE_MS = 2 * 3_600_000
/** How long a caller waits for the newest rows; reading the logs for the first time takes longer. */
const WAIT_MS = 2000

export interface HistoryModule extends DaemonModule {
  replying: Replying
}

/** All sessions of assistants that the logs know, and the timeline of each. */
export const createHistoryModule = (ports: HistoryPorts): HistoryModule => {
  const { home, bus, now, setTimer, redactor } = ports
  const endings: Array<() => void> = []
  const { reply } = createReplies(ports)
  let index: SessionIndex | undefined
  let filler: IndexFiller | undefined
  let endTimer: (() => void) | undefined

  const opened = (): { index: SessionIndex; filler: IndexFiller } => {
    if (index === undefined || filler === undefined) {
      throw new StewardError('module_failed', { module: 'history', reason: 'it is not started' })
    }
    return { index, filler }
  }
  const fillSoon = (): void => {
    endTimer ??= setTimer(GATHER_MS, () => {
      endTimer = undefined
      void filler?.fill()
    })
  }
  /** The index with the newest rows, or as far as it is after a while. */
  const current = async (): Promise<SessionIndex> => {
    const parts = opened()
    const waited = Promise.withResolvers<void>()
    const endWait = setTimer(WAIT_MS, waited.resolve)
    await Promise.race([parts.filler.fill(), waited.promise])
    endWait()
    return parts.index
  }

  const summarise = (session: IndexedSession, name: unknown): SessionSummary => {
    const { startedMs, lastMs, endedMs, ...rest } = session
    const isSilent = now() - lastMs >= INACTIVE_MS
    const isOpen = session.status === 'working' || session.status === 'waiting'
    // Rows are masked before they are written; a secret may have become known since.
    const kept = redactor().redactFields({
      name: session.name || `session ${session.id.slice(0, 8)}`,
      lastMessage: session.lastMessage,
    }).value
    return {
      ...rest,
      ...kept,
      ...(typeof name === 'string' ? { name } : {}),
      machine: null,
      status: isSilent && isOpen ? 'inactive' : session.status,
      startedAt: new Date(startedMs).toISOString(),
      lastActivityAt: new Date(lastMs).toISOString(),
      endedAt: endedMs === null ? null : new Date(endedMs).toISOString(),
    }
  }
  const readNames = async () => {
    const names = await readSessionNames(home)
    return names.ok ? redactor().redactFields(names.value).value : {}
  }

  const list = async (query: SessionQuery): Promise<SessionPage> => {
    const found = await current()
    const names = await readNames()
    const filter = filterOf(query, now() - INACTIVE_MS)
    const own = found
      .list({ ...filter, limit: query.limit + 1 })
      .map((session) => summarise(session, names[session.id]))
    const remote = (await listRemote(home, now())).filter(
      ({ id, ...session }) => found.find(id).length === 0 && fits({ id, ...session }, query),
    )
    const later = remote.filter((session) => isAfter(session, filter.before))
    const all = [...own, ...later].toSorted(byActivity)
    const sessions = all.slice(0, query.limit)
    const last = all.length > query.limit ? sessions.at(-1) : undefined
    return {
      sessions,
      next: last === undefined ? null : `${Date.parse(last.lastActivityAt)}.${last.id}`,
      total: found.count(filter) + remote.length,
      indexing: opened().filler.isFirst(),
    }
  }

  const show = async (id: string, limit: number, before?: string): Promise<SessionDetail> => {
    const found = await current()
    const candidates = found.find(id)
    const [session, another] = candidates
    if (session === undefined) {
      const remote = (await listRemote(home, now())).find((each) => each.id === id)
      if (remote === undefined) throw new StewardError('not_found', { what: 'session', name: id })
      return { session: remote, work: [], usage: null, events: [], next: null }
    }
    if (another !== undefined) {
      const names = candidates.map((each) => each.id).join(', ')
      throw new StewardError('ambiguous', { name: id, candidates: names })
    }
    const places = found.places(session.id, limit + 1, placeOf(before))
    const shown = places.slice(0, limit)
    const last = places.length > limit ? shown.at(-1) : undefined
    return {
      session: summarise(session, (await readNames())[session.id]),
      work: await readWork(home, session.id, now()),
      usage: await ports.usage.of(session.id),
      events: await readEvents(home, shown, redactor()),
      next: last === undefined ? null : `${last.atMs}.${last.row}`,
    }
  }

  return {
    replying: { find: async (id) => (await show(id, 1)).session, reply },
    name: 'history',
    handlers: [
      handle(API.listSessions, ({ query }) => list(query)),
      handle(API.getSession, ({ params, query }) => show(params.id, query.limit, query.before)),
    ],
    start: async () => {
      index = openSessionIndex(indexPath(home))
      filler = createIndexFiller(index, ports)
      endings.push(bus.subscribe('events.arrived', fillSoon))
      // Reading the logs for the first time takes seconds; the daemon does not wait for it.
      void filler.fill()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      endTimer?.()
      await filler?.stop()
      await index?.close()
      index = undefined
    },
    health: () => {
      const fault = filler?.fault()
      return {
        status: fault === undefined ? 'ok' : 'degraded',
        ...(fault === undefined ? {} : { reasons: [fault] }),
        sessions: index?.count({ limit: 0 }) ?? 0,
        indexing: filler?.isFirst() ?? true,
      }
    },
  }
}

/** Tasks, phases and criteria of a session, as long as they are in the work state. */
const readWork = async (home: Home, id: string, nowMs: number): Promise<SessionDetail['work']> => {
  const state = await readWorkState(home)
  if (!state.ok) return []
  return sessionsOf(state.value)
    .filter(({ view }) => view.sessionUUID === id)
    .map((session) => describeSession(session, { nowMs, thresholds: DEFAULT_THRESHOLDS }))
}

/** Rows whose log was removed meanwhile are left out. */
const readEvents = async (
  home: Home,
  places: readonly IndexedPlace[],
  redactor: Redactor,
): Promise<StewardEvent[]> => {
  const bySource = Map.groupBy(places, ({ source }) => source)
  const found = new Map<IndexedPlace, StewardEvent>()
  for (const [source, own] of bySource) {
    const rows = await readRowsAt(eventLogPath(home, source), own)
    for (const [at, place] of own.entries()) {
      const row = rows[at]
      if (isJsonObject(row)) {
        found.set(place, normaliseEvent(source, redactor.redactFields(row).value))
      }
    }
  }
  return places.flatMap((place) => found.get(place) ?? [])
}
