import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { DriveSpec } from '@steward/assistants'
import {
  API,
  type DrivenOutput,
  type DrivenSession,
  type DrivenStart,
  type HostName,
  type ModuleHealth,
  reasonOf,
  type SentMessage,
  StewardError,
} from '@steward/contract'
import { eventStream } from '@steward/http'
import { endGroup, expandTilde, readStartTime } from '@steward/platform'
import { type Call, type DaemonModule, handle } from '../../module.ts'
import { reachedLimit } from './check-limits.ts'
import { createComparisons } from './comparisons.ts'
import { openDrivenStore } from './driven-store.ts'
import { createKeyedTurns, type KeyedTurns } from './keyed-turns.ts'
import { type LiveSession, MOST_RESUMES, openLiveSession } from './live-session.ts'
import { withPersona } from './persona.ts'
import type { DrivenPorts } from './ports.ts'
import { createSlots } from './slots.ts'
import { preparePlace, readDiff, removePlace } from './worktree.ts'

type Listener = (told: { piece: DrivenOutput } | { session: DrivenSession }) => void

export interface DrivenModule extends DaemonModule {
  /** Runs turns for actions. */
  runTurn: KeyedTurns['run']
}

/** How a turn gets its slot, and the key that an action finds it by. */
interface TurnStart {
  hold: () => () => void
  key?: string
}

/** For a turn whose slot is held already. */
const HELD = () => () => undefined

/** Sessions of assistants that Steward starts, and the processes that they run in. */
export const createDrivenModule = (ports: DrivenPorts): DrivenModule => {
  const { home, bus, log, now, asking, replying, driving, notices, processEnvironment: env } = ports
  const store = openDrivenStore(home)
  const live = new Map<string, LiveSession>()
  const listeners = new Map<string, Set<Listener>>()
  const claims = new Map<string, () => void>()
  /** Sessions that are about to be resumed after a restart. */
  const resuming = new Set<string>()
  let isStopping = false

  const tell = (id: string, told: Parameters<Listener>[0]): void => {
    for (const listener of listeners.get(id) ?? []) listener(told)
  }
  const claim = async (id: string): Promise<void> => {
    if (!claims.has(id))
      claims.set(id, await asking.claim(id, (text) => prompt(id, text, { hold: slots.take })))
  }
  const specOf = async (assistant: HostName): Promise<DriveSpec> => {
    const spec = await driving.specOf(assistant)
    if (spec !== undefined) return spec
    const reason = 'Steward cannot drive it'
    throw new StewardError('invalid_input', { subject: `the assistant ${assistant}`, reason })
  }
  const countWorking = (): number =>
    [...live.values()].filter(({ session }) => session().state === 'working').length
  const slots = createSlots(() => ports.settings().sessions.mostAtOnce, countWorking)
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
  /** Opens the program of a session; the caller begins its turn. */
  const open = async (
    spec: DriveSpec,
    draft: Omit<DrivenSession, 'id'>,
    before?: string,
  ): Promise<LiveSession> => {
    let id = before ?? ''
    const opened = await openLiveSession(
      {
        ...ports,
        store,
        spec,
        onOutput: (piece) => tell(id, { piece }),
        onChange: (session) => {
          tell(session.id, { session })
          bus.publish('live.changed', { topics: ['sessions'] })
          slots.changed()
          turns.changed()
        },
        onEnded: () => live.delete(id),
      },
      draft,
      before,
    )
    id = opened.session().id
    live.set(id, opened)
    await claim(id)
    return opened
  }

  const start = async (given: DrivenStart, key?: string): Promise<DrivenSession> => {
    const body = { ...given, project: expandTilde(given.project, ports.homedir) }
    const spec = await specOf(body.assistant)
    checkStart(body, spec)
    const text = await withPersona(body, home)
    const place = await preparePlace(body, { home, id: randomBytes(3).toString('hex'), env })
    const at = new Date(now()).toISOString()
    const { assistant, project, limits, permissions, allow, writable, sandbox, mode, check } = body
    const prompt = ports.redactor().redactText(body.prompt).value
    const draft: Omit<DrivenSession, 'id'> = {
      ...{ assistant, project, prompt, limits, permissions, allow, writable, sandbox, ...place },
      ...{ answer: null, key: key ?? null },
      ...{ mode: mode ?? null, check: check ?? null, state: 'starting', reason: null },
      ...{ turns: 0, toolCalls: 0, workedMs: 0, costUsd: null, resumed: 0, result: null },
      ...{ startedAt: at, changedAt: at },
    }
    try {
      const opened = await open(spec, draft)
      void opened.turn(text, key)
      return opened.session()
    } catch (thrown) {
      await removePlace(project, place, env).catch((failed) => log.warn(reasonOf(failed)))
      throw thrown
    }
  }

  const find = (id: string): DrivenSession => {
    const [found, another] = store.find(id)
    if (found === undefined) throw new StewardError('session_not_driven', { session: id })
    if (another !== undefined) {
      const candidates = store.find(id).map((each) => each.id)
      throw new StewardError('ambiguous', { name: id, candidates: candidates.join(', ') })
    }
    return live.get(found.id)?.session() ?? found
  }

  const prompt = async (
    id: string,
    text: string,
    { hold, key }: TurnStart,
  ): Promise<DrivenSession> => {
    const session = find(id)
    if (session.state === 'working' || session.state === 'starting') {
      throw new StewardError('session_busy', { session: session.id })
    }
    const limit = reachedLimit({ ...session, turns: session.turns + 1 })
    if (limit !== undefined)
      throw new StewardError('session_limit', { session: session.id, reason: limit })
    // Its last turn may still be cleaning up.
    await live.get(session.id)?.settled()
    return inSlot(hold(), async () => {
      const opened =
        live.get(session.id) ?? (await open(await specOf(session.assistant), session, session.id))
      void opened.turn(text, key)
      return opened.session()
    })
  }

  /** A prompt to a session of ours, a reply to any other. */
  const send = async (id: string, text: string, start: TurnStart): Promise<SentMessage> => {
    const ours = (whole: string) => store.find(whole).some((each) => each.id === whole)
    // The beginning of an id may fit sessions of both kinds.
    const session = ours(id) ? undefined : await replying.find(id)
    if (session === undefined || ours(session.id)) {
      const driven = await prompt(session?.id ?? id, text, start)
      return { id: driven.id, as: 'prompt', driven }
    }
    return { id: session.id, as: await replying.reply(session, text), driven: null }
  }

  /** Goes on with a turn that failed or was cut off. */
  const goOn = async (session: DrivenSession): Promise<void> => {
    const limit = reachedLimit(session)
    if (limit !== undefined)
      throw new StewardError('session_limit', { session: session.id, reason: limit })
    await live.get(session.id)?.settled()
    const draft = { ...session, state: 'starting' as const }
    const opened =
      live.get(session.id) ?? (await open(await specOf(session.assistant), draft, session.id))
    void opened.goOn()
  }

  const stop = async (id: string, reason = 'stopped by you'): Promise<DrivenSession> => {
    const session = find(id)
    const running = live.get(session.id)
    if (running !== undefined) await running.stop(reason)
    else if (session.state === 'idle') {
      const changedAt = new Date(now()).toISOString()
      store.save({ ...session, state: 'stopped', reason, changedAt })
    }
    claims.get(session.id)?.()
    claims.delete(session.id)
    return find(session.id)
  }

  const readMaskedDiff = async (
    session: DrivenSession,
  ): Promise<{ diff: string | null; truncated: boolean }> => {
    const { diff, truncated } = await readDiff(session, env)
    return { diff: diff === null ? null : ports.redactor().redactText(diff).value, truncated }
  }

  /** A worktree or its branch may be gone. */
  const readAnyDiff = (session: DrivenSession): ReturnType<typeof readMaskedDiff> =>
    readMaskedDiff(session).catch((thrown) => {
      log.warn(`driven: the diff of ${session.id} cannot be read: ${reasonOf(thrown)}`)
      return { diff: null, truncated: false }
    })

  const turns: KeyedTurns = createKeyedTurns({
    store,
    slots,
    now,
    setTimer: ports.setTimer,
    isAttended: (id) => live.has(id) || resuming.has(id),
    start,
    send: (id, text, key) => prompt(id, text, { hold: HELD, key }),
    goOn,
    discard: (session) =>
      removePlace(session.project, session, env).catch((failed) => log.warn(reasonOf(failed))),
    stop,
    readDiff: async (session) => (await readAnyDiff(session)).diff,
  })

  const comparisons = createComparisons({
    ...{ store, now, find, newId: () => randomBytes(4).toString('hex') },
    start: (body) => inSlot(slots.take(), () => start(body)),
    discard: async (session) => {
      await stop(session.id, 'another assistant of the comparison could not be started')
      await removePlace(session.project, session, env)
    },
    readDiff: readAnyDiff,
  })

  const stream = (
    id: string,
    { after, lastTurn }: { after: number; lastTurn: boolean },
    call: Call,
  ): Response => {
    const session = find(id)
    return eventStream(call, ({ send: emit, close, lastEventId }) => {
      const told = listeners.get(session.id) ?? new Set()
      const showPiece = (piece: DrivenOutput): void => {
        emit({ id: String(piece.seq), event: 'output', data: piece })
      }
      const showSession = (current: DrivenSession): void => {
        emit({ event: 'session', data: current, latest: true })
        if (current.state === 'working' || current.state === 'starting') return
        emit({ event: 'end', data: current })
        close()
      }
      const listener: Listener = (news) =>
        'piece' in news ? showPiece(news.piece) : showSession(news.session)
      listeners.set(session.id, told.add(listener))
      const first = lastTurn ? store.beforeLastTurn(session.id) : after
      const from = Math.max(first, Number.parseInt(lastEventId ?? '0', 10) || 0)
      for (const piece of store.output(session.id, from)) showPiece(piece)
      showSession(find(session.id))
      return () => {
        told.delete(listener)
        if (told.size === 0) listeners.delete(session.id)
      }
    })
  }

  /** Work that the end of an earlier daemon cut off. */
  const resume = async (session: DrivenSession): Promise<void> => {
    const name = `${session.assistant} in ${session.project.split('/').at(-1)}`
    const report = (message: string): Promise<unknown> =>
      notices.send({ kind: 'error', title: name, message, session_id: session.id })
    try {
      if (!ports.settings().sessions.resume) throw new Error('sessions.resume is off')
      if (session.resumed >= MOST_RESUMES)
        throw new Error(`it was already resumed ${MOST_RESUMES} times`)
      const spec = await specOf(session.assistant)
      const draft = { ...session, state: 'starting' as const, resumed: session.resumed + 1 }
      await inSlot(slots.force(), async () => {
        const opened = await open(spec, draft, session.id)
        await report(`${name} was interrupted when the daemon ended, and continues now`)
        // It may have ended before it got its task.
        if (session.turns === 0) void opened.turn(session.prompt, session.key ?? undefined)
        else void opened.goOn()
      })
    } catch (thrown) {
      const reason = `interrupted when the daemon ended, not resumed: ${reasonOf(thrown)}`
      store.save({
        ...session,
        state: 'interrupted',
        reason,
        changedAt: new Date(now()).toISOString(),
      })
      await report(`${name}: ${reason}`)
    } finally {
      resuming.delete(session.id)
      turns.changed()
    }
  }

  return {
    name: 'driven',
    runTurn: turns.run,
    handlers: [
      handle(API.startSession, ({ body }) => inSlot(slots.take(), () => start(body))),
      handle(API.listDrivenSessions, ({ query }) => ({
        sessions: store.list(query.limit).map((each) => live.get(each.id)?.session() ?? each),
      })),
      handle(API.runSessionTurn, ({ body }, { signal }) => turns.poll(body, signal)),
      handle(API.startComparison, ({ body }) => comparisons.start(body)),
      handle(API.getComparison, ({ params }) => comparisons.get(params.id)),
      handle(API.getSessionDiff, ({ params }) => readMaskedDiff(find(params.id))),
      handle(API.getDrivenSession, ({ params }) => find(params.id)),
      handle(API.sendToSession, ({ params, body }) =>
        send(params.id, body.text, { hold: slots.take }),
      ),
      handle(API.stopSession, ({ params }) => stop(params.id)),
      handle(API.streamSession, ({ params, query }, call) => stream(params.id, query, call)),
    ],
    start: async () => {
      store.prune(now())
      const cutOff = store.left()
      for (const { process } of cutOff) {
        // A process of a killed daemon would work on beside the new one.
        if (process !== undefined && readStartTime(process.pid) === process.startTime) {
          endGroup(process.pid)
        }
      }
      for (const id of store.open()) void claim(id)
      // Not awaited: assistants take seconds to start. One after the other, to spare the machine.
      const unfinished = cutOff
        .map(({ session }) => session)
        .filter(({ state }) => state === 'working' || state === 'starting')
      for (const { id } of unfinished) resuming.add(id)
      void (async () => {
        for (const session of unfinished) await resume(session)
      })()
    },
    stop: async () => {
      isStopping = true
      await Promise.all([...live.values()].map((session) => session.suspend()))
      for (const release of claims.values()) release()
      await store.end()
    },
    health: (): ModuleHealth => ({
      status: 'ok',
      working: countWorking(),
      processes: live.size,
    }),
  }
}

const checkStart = (
  { project, limits, writable, worktree, sandbox }: DrivenStart,
  { title, reportsCost }: DriveSpec,
): void => {
  const isFolder = statSync(project, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isAbsolute(project) || !isFolder) {
    const reason = 'it is not an absolute path of a folder'
    throw new StewardError('invalid_input', { subject: `the project ${project}`, reason })
  }
  if (writable.length > 0 && !worktree && !sandbox) {
    const reason = 'they can be enforced in a worktree or in the sandbox only'
    throw new StewardError('invalid_input', { subject: 'writable paths', reason })
  }
  if (limits.budgetUsd !== undefined && !reportsCost) {
    const reason = `${title} does not report its cost; limit minutes or tool calls instead`
    throw new StewardError('invalid_input', { subject: 'the budget', reason })
  }
}
