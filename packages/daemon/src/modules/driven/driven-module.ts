import { randomBytes } from 'node:crypto'
import {
  API,
  type DrivenSession,
  type ModuleHealth,
  reasonOf,
  type SentMessage,
  StewardError,
} from '@steward/contract'
import { type DaemonModule, handle } from '../../module.ts'
import { createComparisons } from './comparisons.ts'
import { createDrivenSessions } from './driven-sessions.ts'
import { openDrivenStore } from './driven-store.ts'
import { createKeyedTurns, type KeyedTurns } from './keyed-turns.ts'
import type { DrivenPorts } from './ports.ts'
import { createSessionResuming } from './resume-sessions.ts'
import { createSessionStreams } from './session-streams.ts'
import { createSlots } from './slots.ts'
import { watchHalts } from './watch-halts.ts'
import { readDiff, removePlace } from './work-place.ts'

export interface DrivenModule extends DaemonModule {
  /** Runs turns for actions. */
  runTurn: KeyedTurns['run']
}

/** Sessions of assistants that Steward starts, with a limit of how many work at the same time. */
export const createDrivenModule = (ports: DrivenPorts): DrivenModule => {
  const { home, bus, log, replying, processEnvironment: env } = ports
  const store = openDrivenStore(home)
  let isStopping = false
  let endHaltWatch = (): void => undefined

  const sessions = createDrivenSessions({
    ...ports,
    store,
    onOutput: (id, piece) => streams.tell(id, { piece }),
    onChange: (session) => {
      streams.tell(session.id, { session })
      bus.publish('live.changed', { topics: ['sessions'] })
      slots.changed()
      turns.changed()
    },
    onMessage: (id, text) => prompt(id, text),
  })
  const { find } = sessions
  const streams = createSessionStreams(store, find)
  const slots = createSlots(() => ports.settings().sessions.mostAtOnce, sessions.countWorking)

  /** Begins a turn in a slot. */
  const inSlot = async <T>(slot: () => void, work: () => Promise<T>): Promise<T> => {
    try {
      if (isStopping) {
        throw new StewardError('module_failed', { module: 'driven', reason: 'it stops' })
      }
      return await work()
    } finally {
      slot()
    }
  }
  const prompt = async (id: string, text: string): Promise<DrivenSession> => {
    const session = find(id)
    sessions.checkReady(session)
    return inSlot(slots.take(), () => sessions.prompt(session, text))
  }
  /** A prompt to a session of ours, a reply to any other. */
  const send = async (id: string, text: string): Promise<SentMessage> => {
    const ours = (whole: string) => store.find(whole).some((each) => each.id === whole)
    // The beginning of an id may fit sessions of both kinds.
    const session = ours(id) ? undefined : await replying.find(id)
    if (session === undefined || ours(session.id)) {
      const driven = await prompt(session?.id ?? id, text)
      return { id: driven.id, as: 'prompt', driven }
    }
    return { id: session.id, as: await replying.reply(session, text), driven: null }
  }
  const diffOf = async (session: DrivenSession) => {
    const { diff, truncated } = await readDiff(session, env)
    return { diff: diff === null ? null : ports.redactor().redactText(diff).value, truncated }
  }

  /** A worktree or its branch may be gone. */
  const diffOrNone: typeof diffOf = (session) =>
    diffOf(session).catch((thrown) => {
      log.warn(`driven: the diff of ${session.id} cannot be read: ${reasonOf(thrown)}`)
      return { diff: null, truncated: false }
    })

  const discard = (session: DrivenSession): Promise<void> =>
    removePlace(session.project, session, env).catch((failed) => log.warn(reasonOf(failed)))

  const resuming = createSessionResuming({
    ...ports,
    store,
    continueTurn: (session, onOpened) =>
      inSlot(slots.force(), () => sessions.goOn(session, onOpened)),
    onResumed: () => turns.changed(),
  })
  const turns: KeyedTurns = createKeyedTurns({
    ...{ store, slots, now: ports.now, setTimer: ports.setTimer },
    isAttended: (id) => sessions.isLive(id) || resuming.isDue(id),
    start: sessions.start,
    send: async (id, text, key) => {
      const session = find(id)
      sessions.checkReady(session)
      return sessions.prompt(session, text, key)
    },
    goOn: sessions.goOn,
    discard,
    stop: sessions.stop,
    readDiff: async (session) => (await diffOrNone(session)).diff,
  })
  const comparisons = createComparisons({
    ...{ store, find, now: ports.now, newId: () => randomBytes(4).toString('hex') },
    start: (body) => inSlot(slots.take(), () => sessions.start(body)),
    discard: async (session) => {
      await sessions.stop(session.id, 'another assistant of the comparison could not be started')
      await removePlace(session.project, session, env)
    },
    readDiff: diffOrNone,
  })

  return {
    name: 'driven',
    runTurn: turns.run,
    handlers: [
      handle(API.startSession, ({ body }) => inSlot(slots.take(), () => sessions.start(body))),
      handle(API.listDrivenSessions, ({ query }) => ({
        sessions: store.list(query.limit).map(({ id }) => find(id)),
      })),
      handle(API.startComparison, ({ body }) => comparisons.start(body)),
      handle(API.listComparisons, ({ query }) => ({ comparisons: comparisons.list(query.limit) })),
      handle(API.getComparison, ({ params }) => comparisons.get(params.id)),
      handle(API.runSessionTurn, ({ body }, { signal }) => turns.poll(body, signal)),
      handle(API.getSessionDiff, ({ params }) => diffOf(find(params.id))),
      handle(API.getDrivenSession, ({ params }) => find(params.id)),
      handle(API.sendToSession, ({ params, body }) => send(params.id, body.text)),
      handle(API.stopSession, ({ params }) => sessions.stop(params.id)),
      handle(API.streamSession, ({ params, query }, call) =>
        streams.follow(params.id, query, call),
      ),
    ],
    start: async () => {
      // A copy is Steward's own; a worktree belongs to the repository of the person.
      for (const session of store.prune(ports.now())) if (session.copy) void discard(session)
      for (const id of store.open()) void sessions.claim(id)
      resuming.begin()
      endHaltWatch = watchHalts({ home, bus, log, isLive: sessions.isLive, stop: sessions.stop })
    },
    stop: async () => {
      isStopping = true
      endHaltWatch()
      await sessions.suspend()
      await store.end()
    },
    health: (): ModuleHealth => ({
      status: 'ok',
      working: sessions.countWorking(),
      processes: sessions.countLive(),
    }),
  }
}
