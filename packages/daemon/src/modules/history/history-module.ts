import {
  type Activity,
  API,
  type SessionDetail,
  type SessionGroup,
  type SessionPage,
  type SessionSummary,
  StewardError,
} from '@steward/contract'
import { readSessionNames } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import type { Replying } from '../../ports.ts'
import { RECORDED } from './add-recorded.ts'
import { createIndexFiller, type IndexFiller, indexPath } from './fill-index.ts'
import { findEvents } from './find-events.ts'
import { listRemote } from './list-remote.ts'
import type { HistoryPorts } from './ports.ts'
import { readEvents, readWork } from './read-timeline.ts'
import { createReplies } from './reply.ts'
import {
  byActivity,
  filterOf,
  fits,
  groupOf,
  isAfter,
  placeOf,
  type SessionQuery,
} from './session-filter.ts'
import { type IndexedSession, openSessionIndex, type SessionIndex } from './session-index.ts'

/** Rows of a burst are indexed together. */
const GATHER_MS = 1000
/** A session that is silent for longer was left without an end. */
const INACTIVE_MS = 2 * 3_600_000
const HOUR_MS = 3_600_000
/** How long a caller waits for the newest rows; reading the logs for the first time takes longer. */
const WAIT_MS = 2000

export interface HistoryModule extends DaemonModule {
  replying: Replying
}

/** All sessions of assistants that the logs or their own records know, and the timeline of each. */
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
    const isOver = session.startSource === RECORDED && session.status === 'idle'
    // Rows are masked before they are written; a secret may have become known since.
    const kept = redactor().redactFields({
      prompt: session.prompt,
      name: session.name || `session ${session.id.slice(0, 8)}`,
      lastMessage: session.lastMessage,
    }).value
    return {
      ...rest,
      ...kept,
      ...(typeof name === 'string' ? { name } : {}),
      machine: null,
      costUsd: null,
      status: isSilent ? (isOpen ? 'inactive' : isOver ? 'ended' : session.status) : session.status,
      startedAt: new Date(startedMs).toISOString(),
      lastActivityAt: new Date(lastMs).toISOString(),
      endedAt: endedMs === null ? null : new Date(endedMs).toISOString(),
    }
  }
  const readNames = async () => {
    const names = await readSessionNames(home)
    return names.ok ? redactor().redactFields(names.value).value : {}
  }

  /** Sessions that the logs here do not have: of other machines and of background agents. */
  const listAway = async (): Promise<SessionSummary[]> => [
    ...(await listRemote(home, now())),
    ...(await ports.hosted.list()),
  ]
  const withCosts = async (sessions: readonly SessionSummary[]): Promise<SessionSummary[]> => {
    const costs = await ports.usage.costs(sessions.map(({ id }) => id))
    return sessions.map((session) => ({
      ...session,
      costUsd: costs.get(session.id) ?? session.costUsd,
    }))
  }

  const list = async (query: SessionQuery): Promise<SessionPage> => {
    const found = await current()
    const names = await readNames()
    const filter = filterOf(query, now() - INACTIVE_MS)
    const listed = found.list({ ...filter, limit: query.limit + 1 })
    const { stoppedAt, total, groups, isAtLeast } = listed
    const own = listed.sessions.map((session) => summarise(session, names[session.id]))
    const away = (await listAway()).filter(({ id }) => !found.find(id).some(hasOwnRows))
    const remote = away.filter((session) => fits(session, query))
    const later = remote.filter(
      (session) =>
        isAfter(session, filter.before) &&
        (stoppedAt === undefined || !isAfter(session, stoppedAt)),
    )
    const all = [...own, ...later].toSorted(byActivity)
    const sessions = await withCosts(all.slice(0, query.limit))
    const last = all.length > query.limit ? sessions.at(-1) : undefined
    const next =
      last === undefined ? stoppedAt : { lastMs: Date.parse(last.lastActivityAt), id: last.id }
    const { group: _, ...others } = query
    const elsewhere = away.filter((session) => fits(session, others)).map(groupOf)
    const countOf = (group: SessionGroup): number =>
      (groups.get(group) ?? 0) + elsewhere.filter((each) => each === group).length
    const { hosts, projects } = found.facets()
    return {
      sessions,
      next: next === undefined ? null : `${next.lastMs}.${next.id}`,
      total: total + remote.length,
      atLeast: isAtLeast,
      groups: {
        needs: countOf('needs'),
        running: countOf('running'),
        idle: countOf('idle'),
        done: countOf('done'),
      },
      hosts: away.some(({ host }) => host === 'hosted') ? [...hosts, 'hosted'] : hosts,
      projects,
      indexing: opened().filler.isFirst(),
    }
  }

  const describeActivity = async (hours: number): Promise<Activity> => {
    const found = await current()
    const first = Math.floor(now() / HOUR_MS) - hours + 1
    const { hours: known, sessions } = found.activity(first * HOUR_MS)
    const each = Array.from({ length: hours }, (_, index) => ({
      at: new Date((first + index) * HOUR_MS).toISOString(),
      ...(known.get(first + index) ?? { events: 0, failures: 0 }),
    }))
    return { hours: each, sessions }
  }

  const show = async (id: string, limit: number, before?: string): Promise<SessionDetail> => {
    const found = await current()
    const candidates = found.find(id)
    const [session, another] = candidates.filter(hasOwnRows)
    if (session === undefined) {
      const remote = (await listAway()).find((each) => each.id === id)
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
    const costs = await ports.usage.costs([session.id])
    return {
      session: {
        ...summarise(session, (await readNames())[session.id]),
        costUsd: costs.get(session.id) ?? null,
      },
      work: await readWork(home, session.id, now()),
      usage: await ports.usage.of(session.id),
      events: (await readEvents(home, shown, redactor())).map(({ event }) => event),
      next: last === undefined ? null : `${last.atMs}.${last.row}`,
    }
  }

  return {
    replying: { find: async (id) => (await show(id, 1)).session, reply },
    name: 'history',
    handlers: [
      handle(API.listSessions, ({ query }) => list(query)),
      handle(API.listEvents, async ({ query }) =>
        findEvents(await current(), (places) => readEvents(home, places, redactor()), query, now()),
      ),
      handle(API.getActivity, ({ query }) => describeActivity(query.hours)),
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
        sessions: index?.count() ?? 0,
        indexing: filler?.isFirst() ?? true,
      }
    },
  }
}

/** Of some sessions, the logs have only what was announced. */
const hasOwnRows = ({ host, prompts, toolCalls, failures, subagents }: IndexedSession): boolean =>
  host !== '' || prompts + toolCalls + failures + subagents > 0
