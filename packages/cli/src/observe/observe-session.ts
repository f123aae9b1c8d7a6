import { findObjections } from '@steward/agents'
import { type ObserverJudge, StewardError, type StewardEvent } from '@steward/contract'
import { createRedactor, secretsOf } from '@steward/platform'
import { EXIT } from '../errors/exit-codes.ts'
import type { Io } from '../io.ts'
import { readNotifierPlace } from '../notify/open-notifier.ts'
import { cleanText } from '../output/clean-text.ts'
import { openHomePolicy } from '../security/open-home-policy.ts'
import { lockSession } from './lock-session.ts'
import { openJudge } from './open-judge.ts'
import { oversightPaths } from './oversight-paths.ts'
import { createReadCall } from './read-call.ts'
import { readPurpose } from './read-purpose.ts'
import { createRecordVerdict } from './record-verdict.ts'
import { renderVerdict } from './render-verdict.ts'
import { observeLive, observeRecorded, type TakeVerdict } from './run-observers.ts'
import { openSessionLog } from './session-log.ts'
import { createTellPerson } from './tell-person.ts'

export interface ObserveFlags {
  session: string
  policy?: string
  once?: true
  force?: true
  judge?: ObserverJudge
  budget?: number
  json?: true
}

/** `steward observe`: puts the team together, refuses where it should not be used, and votes. */
export const observeSession = async (io: Io, flags: ObserveFlags): Promise<void> => {
  const { session, once = false, json = false } = flags
  const { home, environment } = await readNotifierPlace(io)
  const { policy, entry, intent } = await readPurpose(io, home, session, flags.policy)
  const readCall = createReadCall(await openHomePolicy(io))
  const log = await openSessionLog(home, session, once ? 'all' : 'recent')
  const lock = lockSession(home, session)
  const warn = (message: string): void => {
    io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(message)}\n`)
    io.exitCode = EXIT.failed
  }
  try {
    const now = once ? lastTimeOf(log.past) : io.now()
    const past = { events: log.past, policy, readCall, now, ...(entry && { entry }) }
    if (!flags.force) refuseWhere(session, findObjections(past))
    const { judge: wanted, budget: usdPerHour } = flags
    const judge = await openJudge({ wanted, usdPerHour, environment, signal: io.signal })
    io.err.write(`observing ${cleanText(session)}: ${cleanText(judge.says)}\n`)
    const record = createRecordVerdict({
      home,
      redactor: createRedactor(secretsOf(environment)),
      tell: createTellPerson(io, home),
      warn,
    })
    const take: TakeVerdict = async (given) => {
      const verdict = await record(given)
      io.out.write(json ? `${JSON.stringify(verdict)}\n` : renderVerdict(verdict, io.out.paint))
      const isFine = verdict.decision === 'continue' && !verdict.escalated
      if (once && !isFine) io.exitCode = EXIT.failed
    }
    const ports = {
      sessionId: session,
      policy,
      readCall,
      home: io.homedir,
      oversight: oversightPaths(home),
      ...(intent && { intent }),
      ...(judge.model && { model: judge.model }),
    }
    if (once) await observeRecorded(ports, log, take)
    else await observeLive(io, ports, log, take)
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

/** A recorded log is judged as of its own end. */
const lastTimeOf = (events: readonly StewardEvent[]): number =>
  Math.max(0, ...events.map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite))
