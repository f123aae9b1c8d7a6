import { readLoggedCall } from '@steward/agents'
import type { StewardEvent } from '@steward/contract'
import {
  eventLogPath,
  type Home,
  instantOf,
  normaliseEvent,
  readRowsBackwards,
} from '@steward/platform'

const LOGS = [
  ['tool-activity', 'tool_use'],
  ['tool-failure', 'tool_failure'],
] as const
/** Writers and clocks differ a little, so a single older row is not the end of the period. */
const OLDER_ROWS = 100

export interface DatedCall extends ReturnType<typeof readLoggedCall> {
  atMs: number
  event: Pick<StewardEvent, 'timestamp' | 'session_id' | 'host'>
}

interface Period {
  sinceMs: number
  most: number
  breathe: () => Promise<void>
}

/** The tool calls in the event logs since a time, newest first. */
export const readLoggedCalls = async (
  home: Pick<Home, 'root'>,
  { sinceMs, most, breathe }: Period,
): Promise<{ calls: DatedCall[]; isCut: boolean }> => {
  const found: DatedCall[] = []
  for (const [source, type] of LOGS) {
    let older = 0
    let count = 0
    for await (const row of readRowsBackwards(eventLogPath(home, source))) {
      await breathe()
      const event = normaliseEvent(source, row)
      const atMs = instantOf(event.timestamp)
      if (atMs === undefined || event.type !== type) continue
      if (atMs < sinceMs) {
        older += 1
        if (older >= OLDER_ROWS) break
        continue
      }
      const { timestamp, session_id, host } = event
      found.push({ ...readLoggedCall(event), atMs, event: { timestamp, session_id, host } })
      count += 1
      if (count > most) break
    }
  }
  const calls = found.toSorted((a, b) => b.atMs - a.atMs)
  return { calls: calls.slice(0, most), isCut: calls.length > most }
}
