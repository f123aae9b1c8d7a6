import type { SessionsOverview } from '@steward/contract'
import { z } from 'zod'
import type { Notice } from '../../ports.ts'
import { describeEvent } from './describe-event.ts'
import { findClient } from './find-client.ts'
import type { HostedModulePorts } from './ports.ts'
import { STEP } from './run-hosted-agent.ts'

type Session = SessionsOverview['sessions'][number]
type Ended = Session & { last: NonNullable<Session['last']> }

const MOST_CHARACTERS = 200

const FAILED: Readonly<Partial<Record<NonNullable<Session['stopReason']>, string>>> = {
  retries_exhausted: 'gave up, because the model could not be reached',
  budget_reached: 'reached its budget',
  refusal: 'refused the task',
}

const session = z.looseObject({ metadata: z.record(z.string(), z.string()) })

/** Notifies the person of sessions whose turn is done or failed, once per turn. */
export const createEndingReports = (
  ports: HostedModulePorts,
): ((sessions: readonly Session[]) => Promise<void>) => {
  const { notices, now, settings } = ports
  /** The last event of each session that was reported. */
  const told = new Map<string, number>()
  const startedMs = now()

  const isDue = ({ stopReason, last }: Ended): boolean => {
    const endedMs = Date.parse(last.at)
    const patienceMs = settings().notifications.thresholds.waitingSeconds * 1000
    // Earlier endings were reported, or happened while Steward was off, and would all come at once.
    if (endedMs < startedMs - patienceMs) return false
    // A person who talks to the session sees its answer; a failure is reported at once.
    return stopReason !== 'end_turn' || now() - endedMs >= patienceMs
  }
  /** The run of a flow reports about itself. */
  const belongsToRun = async (id: string): Promise<boolean> => {
    const client = await findClient(ports)
    if (client === undefined) return false
    return session.parse(await client.ask(`/sessions/${id}`)).metadata[STEP] !== undefined
  }
  return async (sessions) => {
    for (const each of sessions) {
      if (!hasEnded(each) || !isDue(each)) continue
      const { id, last } = each
      if (told.get(id) === last.seq) continue
      if (!(await belongsToRun(id))) {
        const key = `hosted/${id}/${last.seq}`
        const { stored } = await notices.send({ ...describeEnding(each), key })
        if (!stored) continue
      }
      told.set(id, last.seq)
    }
  }
}

const hasEnded = (row: Session): row is Ended =>
  row.last !== null &&
  row.last.type !== 'user.interrupt' &&
  (row.status === 'terminated' ||
    (row.status === 'idle' && row.stopReason !== null && row.stopReason !== 'requires_action'))

const describeEnding = ({ id, title, agent, status, stopReason, last }: Ended): Notice => {
  const name = title ?? `A session of ${agent.name}`
  const entry = describeEvent(last)
  const text = 'text' in entry && entry.text ? `: ${entry.text.slice(0, MOST_CHARACTERS)}` : ''
  const failure = status === 'terminated' ? 'was terminated' : FAILED[stopReason ?? 'end_turn']
  return failure === undefined
    ? { kind: 'backgroundAgent', title: name, message: `${name} is done${text}`, session_id: id }
    : { kind: 'error', title: name, message: `${name} ${failure}`, session_id: id }
}
