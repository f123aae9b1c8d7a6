import { createObserverTeam, type ObserverTeamPorts, splitIntoCycles } from '@steward/agents'
import { type ObserverVerdict, reasonOf, type StewardEvent } from '@steward/contract'
import { pause } from '@steward/platform'
import type { SessionLog } from './session-log.ts'

export type TakeVerdict = (verdict: ObserverVerdict) => Promise<void>

const LOOK_MS = 1000
/** A session without a tool call for this long was abandoned or killed. */
const GIVEN_UP_MS = 6 * 3_600_000

/** Time, the stop signal and the output for messages. */
export interface LivePorts {
  now: () => number
  signal: AbortSignal
  say: (line: string) => void
}

/** Votes every 30 seconds on new rows, until the session or this process ends. */
export const observeLive = async (
  { now, signal, say }: LivePorts,
  ports: Omit<ObserverTeamPorts, 'now'>,
  log: SessionLog,
  take: TakeVerdict,
): Promise<void> => {
  const team = createObserverTeam({ ...ports, now })
  team.see(log.past)
  let lastRowAt = now()
  let lastFault = ''
  const vote = async (): Promise<void> => {
    const verdict = await team.vote()
    if (verdict !== undefined) await take(verdict)
  }
  while (!signal.aborted) {
    const { events, fault } = await readInto(log)
    if (fault !== '' && fault !== lastFault) say(fault)
    lastFault = fault
    if (events.length > 0) lastRowAt = now()
    team.see(events)
    if (team.isOver()) return vote()
    if (team.dueInMs() === 0) await vote()
    if (now() - lastRowAt > GIVEN_UP_MS) {
      say('no tool call for six hours: the observers stop')
      return
    }
    await pause(Math.min(LOOK_MS, Math.max(1, team.dueInMs())), signal)
  }
}

/** Votes on the existing log, cycle by cycle at the log's own times, and ends. */
export const observeRecorded = async (
  ports: Omit<ObserverTeamPorts, 'now'>,
  log: SessionLog,
  take: TakeVerdict,
): Promise<void> => {
  const cycles = splitIntoCycles(log.past)
  let at = (cycles[0]?.endsAt ?? 0) - 1
  const startedAt = performance.now()
  // Votes use the log's time plus the real time that they take.
  const team = createObserverTeam({ ...ports, now: () => at + (performance.now() - startedAt) })
  for (const { endsAt, events } of cycles) {
    at = endsAt - (performance.now() - startedAt)
    team.see(events)
    const verdict = await team.vote()
    if (verdict !== undefined) await take(verdict)
  }
}

/** A log that cannot be read now may be readable later, so the observers continue. */
const readInto = async (log: SessionLog): Promise<{ events: StewardEvent[]; fault: string }> => {
  try {
    return { events: await log.read(), fault: '' }
  } catch (thrown) {
    return { events: [], fault: reasonOf(thrown) }
  }
}
