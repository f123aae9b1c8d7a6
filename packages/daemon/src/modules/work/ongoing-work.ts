import { firingsPath } from '@steward/assistants'
import type { StewardEvent } from '@steward/contract'
import {
  createLogFollower,
  type LogFollower,
  readTail,
  recordToolActivity,
} from '@steward/platform'
import { z } from 'zod'
import type { WorkModulePorts } from './ports.ts'

/** The rows of the hook program that begin and end tool calls. */
const firedCall = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  session_id: z.string().min(1),
  call: z.enum(['begun', 'ended']),
  call_id: z.string(),
})

export interface OngoingWork {
  start: () => Promise<void>
  stop: () => Promise<void>
  take: (events: readonly StewardEvent[]) => void
  /** Sessions in which something runs that leaves no trace until it ends. */
  sessions: () => string[]
}

/** Well below the shortest time after which a session counts as stale. */
const LOOK_MS = 60_000
/** Work that began earlier has probably ended without an event, because its assistant was killed. */
const LONGEST_MS = 2 * 3_600_000
const MOST_SESSIONS = 500
/** Calls that began before the daemon did. */
const PAST_ROWS = 1000

const ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop', 'stop_failure'])

/**
 * A tool call that takes minutes, a background task and a subagent are activity, although nothing
 * is written meanwhile. While one runs, the activity of its session is renewed in `work.json`, so
 * that every reader sees the session as active.
 */
export const createOngoingWork = ({
  home,
  log,
  now,
  setTimer,
  redactor,
}: WorkModulePorts): OngoingWork => {
  /** When each call, agent or group of background tasks began, by session. */
  const running = new Map<string, Map<string, number>>()
  let follower: LogFollower | undefined
  let endTimer = (): void => undefined
  let looking: Promise<void> = Promise.resolve()

  const begin = (session: string, id: string, atMs: number): void => {
    const parts = running.get(session) ?? new Map<string, number>()
    running.delete(session)
    running.set(session, parts.set(id, atMs))
    const [oldest] = running.keys()
    if (oldest !== undefined && running.size > MOST_SESSIONS) running.delete(oldest)
  }
  const end = (session: string, id: string): void => {
    const parts = running.get(session)
    parts?.delete(id)
    if (parts?.size === 0) running.delete(session)
  }
  /** The main assistant has no calls between turns. */
  const endCalls = (session: string): void => {
    for (const id of [...(running.get(session)?.keys() ?? [])]) {
      if (id.startsWith('call ')) end(session, id)
    }
  }

  const takeFiring = (row: unknown): void => {
    const fired = firedCall.safeParse(row).data
    if (fired === undefined) return
    const { session_id, call, call_id, timestamp } = fired
    if (call === 'begun') begin(session_id, `call ${call_id}`, Date.parse(timestamp))
    else end(session_id, `call ${call_id}`)
  }

  const takeOne = (event: StewardEvent): void => {
    const { session_id: session, type } = event
    if (session === '') return
    const agent = event.subagent_id ?? event.agent_id
    if (type === 'subagent_start') begin(session, `agent ${String(agent)}`, now())
    else if (type === 'subagent_stop') end(session, `agent ${String(agent)}`)
    else if (type === 'session_end') running.delete(session)
    else if (typeof event.agent_id === 'string') return
    else if (ENDS.has(type)) {
      endCalls(session)
      if (Number(event.background_tasks) > 0) begin(session, 'tasks', now())
      else end(session, 'tasks')
    } else if (type === 'user_prompt') endCalls(session)
  }

  const sessions = (): string[] =>
    [...running].flatMap(([session, parts]) =>
      [...parts.values()].some((atMs) => now() - atMs < LONGEST_MS) ? [session] : [],
    )

  const look = async (): Promise<void> => {
    try {
      for (let more = true; more && follower !== undefined; ) {
        const read = await follower.read()
        for (const { row } of read.rows) takeFiring(row)
        more = read.more
      }
    } catch (thrown) {
      log.warn(`running tool calls are not known: ${String(thrown)}`)
    }
    for (const session of sessions()) {
      const bumped = await recordToolActivity(home, session, { now, redactor: redactor() })
      if (!bumped.ok) log.warn(`activity is not recorded: ${bumped.error.message}`)
    }
  }
  const schedule = (): void => {
    endTimer = setTimer(LOOK_MS, () => {
      looking = look().then(schedule)
    })
  }

  return {
    start: async () => {
      const path = firingsPath(home)
      const past = await readTail(path, { rows: PAST_ROWS })
      for (const { row } of past.rows) takeFiring(row)
      follower = createLogFollower({ path, from: past.position })
      schedule()
    },
    stop: async () => {
      endTimer()
      await looking
      endTimer()
      await follower?.close()
    },
    take: (events) => {
      for (const event of events) takeOne(event)
    },
    sessions,
  }
}
