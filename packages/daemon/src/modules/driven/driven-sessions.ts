import { randomBytes } from 'node:crypto'
import type { DriveSpec } from '@steward/assistants'
import {
  type DrivenOutput,
  type DrivenSession,
  type DrivenStart,
  type HostName,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { expandTilde } from '@steward/platform'
import { reachedLimit } from './check-limits.ts'
import { checkStart } from './check-start.ts'
import type { DrivenStore } from './driven-store.ts'
import { type LiveSession, openLiveSession } from './live-session.ts'
import { withPersona } from './persona.ts'
import type { DrivenPorts } from './ports.ts'
import { preparePlace, removePlace } from './work-place.ts'

interface SessionPorts extends DrivenPorts {
  store: DrivenStore
  onOutput: (id: string, piece: DrivenOutput) => void
  onChange: (session: DrivenSession) => void
  /** A message that a person sends to a session through the attention list. */
  onMessage: (id: string, text: string) => Promise<unknown>
}

/** Sessions of assistants, and the processes that they run in. The caller limits how many work at once. */
export interface DrivenSessions {
  /** Takes its id or the beginning of it; throws `session_not_driven` or `ambiguous`. */
  find: (id: string) => DrivenSession
  /** Starts a session with its first turn. */
  start: (given: DrivenStart, key?: string) => Promise<DrivenSession>
  /** Throws unless a session takes a message now. */
  checkReady: (session: DrivenSession) => void
  /** Begins the next turn; an action finds it again by the key. */
  prompt: (session: DrivenSession, text: string, key?: string) => Promise<DrivenSession>
  /** Continues a turn that failed or was cut off. */
  goOn: (session: DrivenSession, onOpened?: () => Promise<unknown>) => Promise<void>
  stop: (id: string, reason?: string) => Promise<DrivenSession>
  /** Lets a session receive messages. */
  claim: (id: string) => Promise<void>
  isLive: (id: string) => boolean
  countLive: () => number
  countWorking: () => number
  /** Ends all processes, so that the next daemon resumes their work. */
  suspend: () => Promise<void>
}

export const createDrivenSessions = (ports: SessionPorts): DrivenSessions => {
  const { home, log, now, asking, driving, store, processEnvironment: env } = ports
  const live = new Map<string, LiveSession>()
  const claims = new Map<string, () => void>()

  const specOf = async (assistant: HostName): Promise<DriveSpec> => {
    const spec = await driving.specOf(assistant)
    if (spec !== undefined) return spec
    const reason = 'Steward cannot drive it'
    throw new StewardError('invalid_input', { subject: `the assistant ${assistant}`, reason })
  }
  const claim = async (id: string): Promise<void> => {
    if (claims.has(id)) return
    claims.set(id, await asking.claim(id, (text) => ports.onMessage(id, text)))
  }
  /** Idle processes are kept for the next message, as long as there are not too many. */
  const releaseIdle = (): void => {
    const idle = [...live.values()]
      .filter(({ session }) => session().state === 'idle')
      .toSorted((one, other) => (one.session().changedAt < other.session().changedAt ? -1 : 1))
    const excess = Math.max(0, live.size - ports.settings().sessions.mostAtOnce)
    for (const each of idle.slice(0, excess)) void each.release()
  }
  const open = async (
    spec: DriveSpec,
    draft: Omit<DrivenSession, 'id'>,
    before?: string,
  ): Promise<LiveSession> => {
    let id = before ?? ''
    const opened = await openLiveSession(
      {
        ...ports,
        spec,
        onOutput: (piece) => ports.onOutput(id, piece),
        onEnded: () => live.delete(id),
      },
      draft,
      before,
    )
    id = opened.session().id
    live.set(id, opened)
    releaseIdle()
    await claim(id)
    return opened
  }
  /** The running session, or its program resumed. */
  const reopen = async (session: DrivenSession): Promise<LiveSession> => {
    // Its last turn may still be cleaning up.
    await live.get(session.id)?.settled()
    return live.get(session.id) ?? open(await specOf(session.assistant), session, session.id)
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

  return {
    find,
    claim,
    start: async (given, key) => {
      const body = { ...given, project: expandTilde(given.project, ports.homedir) }
      const spec = await specOf(body.assistant)
      checkStart(body, spec)
      const text = await withPersona(body, home)
      const place = await preparePlace(body, { home, id: randomBytes(3).toString('hex'), env })
      const at = new Date(now()).toISOString()
      const { assistant, project, limits, permissions, allow, writable, sandbox, mode, check } =
        body
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
    },
    checkReady: (session) => {
      if (session.state === 'working' || session.state === 'starting') {
        throw new StewardError('session_busy', { session: session.id })
      }
      const reason = reachedLimit({ ...session, turns: session.turns + 1 })
      if (reason !== undefined)
        throw new StewardError('session_limit', { session: session.id, reason })
    },
    prompt: async (session, text, key) => {
      const opened = await reopen(session)
      void opened.turn(text, key)
      return opened.session()
    },
    goOn: async (session, onOpened) => {
      const reason = reachedLimit(session)
      if (reason !== undefined)
        throw new StewardError('session_limit', { session: session.id, reason })
      const opened = await reopen({ ...session, state: 'starting' })
      await onOpened?.()
      // It may have ended before it got its task.
      if (session.turns === 0) void opened.turn(session.prompt, session.key ?? undefined)
      else void opened.goOn()
    },
    stop: async (id, reason = 'stopped by you') => {
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
    },
    isLive: (id) => live.has(id),
    countLive: () => live.size,
    countWorking: () =>
      [...live.values()].filter(({ session }) => session().state === 'working').length,
    suspend: async () => {
      await Promise.all([...live.values()].map((session) => session.suspend()))
      for (const release of claims.values()) release()
    },
  }
}
