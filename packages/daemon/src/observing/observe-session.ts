import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { findObjections } from '@steward/agents'
import { ASSISTANTS } from '@steward/assistants'
import {
  HOSTS,
  type ObserverJudge,
  type ObserverVerdict,
  StewardError,
  type StewardEvent,
} from '@steward/contract'
import type { Notifier } from '@steward/notify'
import {
  createRedactor,
  type Environment,
  type Home,
  haltsPath,
  holdLock,
  type Lock,
  secretsOf,
} from '@steward/platform'
import type { Policy } from '@steward/policy'
import { createNotifyPerson } from './notify-person.ts'
import { openJudge } from './open-judge.ts'
import { createReadCall } from './read-call.ts'
import { readPurpose } from './read-purpose.ts'
import { createRecordVerdict } from './record-verdict.ts'
import { observeLive, observeRecorded } from './run-observers.ts'
import { openSessionLog } from './session-log.ts'

export interface ObserveRequest {
  session: string
  /** The file with the observers' policy. */
  policy?: string
  /** Judge the recorded log and exit. */
  once?: boolean
  /** Observe even where observers should not be used. */
  force?: boolean
  judge?: ObserverJudge
  /** US dollars that models may cost per hour. */
  budget?: number
}

export interface ObservePorts {
  home: Home
  homedir: string
  cwd: string
  environment: Environment
  /** The policy that the guards judge by. */
  guardPolicy: Policy
  now: () => number
  /** Aborted when the person stops the command. */
  signal: AbortSignal
  /** The command that starts Steward, for advice. */
  command: string
  /** Prints a line for the person. */
  say: (line: string) => void
  /** Reports a problem that did not stop the observers. */
  warn: (message: string) => void
  /** Receives each verdict after it was recorded. */
  take: (verdict: ObserverVerdict) => void
  withNotifier: (use: (notifier: Notifier) => Promise<void>) => Promise<void>
}

/** `steward observe`: assembles the team, refuses unsuitable sessions, and votes. */
export const observeSession = async (
  ports: ObservePorts,
  request: ObserveRequest,
): Promise<void> => {
  const { home, environment, signal, say, warn } = ports
  const { session, once = false, force = false, judge: wanted, budget: usdPerHour } = request
  const { policy, entry, intent } = await readPurpose(ports, session, request.policy)
  const readCall = createReadCall(ports.guardPolicy)
  const log = await openSessionLog(home, session, once ? 'all' : 'recent')
  const lock = lockSession(home, session)
  try {
    const now = once ? lastTimeOf(log.past) : ports.now()
    const past = { events: log.past, policy, readCall, now, ...(entry && { entry }) }
    if (!force) refuseWhere(session, findObjections(past))
    const redactor = createRedactor(secretsOf(environment))
    const judge = await openJudge({ wanted, usdPerHour, environment, redactor, signal })
    say(`observing ${session}: ${judge.says}`)
    const record = createRecordVerdict({
      home,
      redactor,
      notify: createNotifyPerson(ports),
      warn,
    })
    const take = async (verdict: ObserverVerdict) => ports.take(await record(verdict))
    const team = {
      sessionId: session,
      policy,
      readCall,
      home: ports.homedir,
      oversight: oversightPaths(home),
      ...(intent && { intent }),
      ...(judge.model && { model: judge.model }),
    }
    if (once) await observeRecorded(team, log, take)
    else await observeLive(ports, team, log, take)
  } finally {
    lock.release()
    await log.close()
  }
}

const refuseWhere = (
  session: string,
  objections: readonly { rule: string; reason: string }[],
): void => {
  if (objections.length === 0) return
  const reason = objections.map(({ rule, reason: why }) => `${rule}: ${why}`).join('; ')
  throw new StewardError('observation_refused', { session, reason })
}

/** A recorded log is judged as of its last event. */
const lastTimeOf = (events: readonly StewardEvent[]): number =>
  Math.max(0, ...events.map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite))

/** One team per session: two would vote, and pay, twice. */
const lockSession = (home: Home, session: string): Lock => {
  // Session ids come from assistants and may contain any characters.
  const name = createHash('sha256').update(session).digest('hex')
  const lock = holdLock(join(home.databases, 'observers', `${name}.lock`))
  if (lock !== undefined) return lock
  const subject = `an observer team of ${session}`
  throw new StewardError('run_active', { subject, reason: 'one is enough' })
}

/** Files that watch and restrict a session. A session that changes them evades oversight. */
export const oversightPaths = (home: Home): string[] => [
  haltsPath(home),
  home.observability,
  home.security,
  home.user.security,
  home.settings,
  ...HOSTS.flatMap((host) => ASSISTANTS[host].protectedFiles),
]
