import { reasonOf, type StewardEvent, type SubagentRun } from '@steward/contract'
import {
  coalesce,
  eventLogPath,
  normaliseEvent,
  pairSubagents,
  readTail,
  sortEvents,
} from '@steward/platform'
import type { SessionsPorts } from './ports.ts'

/** Spec 2 and facts 2.2: rows that `/api/agents` shows. */
const SHOWN_ROWS = 100
/** Pairing needs starts that are older than the shown rows. */
const READ_ROWS = 500
/** Batches rows of a burst. */
const GATHER_MS = 250

export interface Subagents {
  start: () => Promise<void>
  stop: () => void
  /** Newest first. */
  events: () => readonly StewardEvent[]
  agents: () => readonly SubagentRun[]
  /** Why they could not be read, if so. */
  fault: () => string | undefined
}

/** Subagents from the log; reread when rows arrive. */
export const createSubagents = (
  { home, bus, log, setTimer, redactor }: Omit<SessionsPorts, 'now' | 'settings' | 'watchFolder'>,
  onChange: () => void,
): Subagents => {
  const path = eventLogPath(home, 'subagent')
  let events: readonly StewardEvent[] = []
  let agents: readonly SubagentRun[] = []
  let fault: string | undefined
  let endSubscription = (): void => undefined
  let endTimer: (() => void) | undefined

  const read = coalesce(async () => {
    try {
      const { rows } = await readTail(path, { rows: READ_ROWS })
      const clean = rows.map(({ row }) => normaliseEvent('subagent', redactFields(row)))
      events = sortEvents(clean.toReversed())
      agents = pairSubagents(clean)
      fault = undefined
    } catch (thrown) {
      fault = `subagents cannot be read: ${reasonOf(thrown)}`
      log.error(fault)
    }
    onChange()
  })
  const redactFields = (row: Readonly<Record<string, unknown>>) =>
    redactor().redactFields(row).value
  const readSoon = (): void => {
    endTimer ??= setTimer(GATHER_MS, () => {
      endTimer = undefined
      void read()
    })
  }

  return {
    start: async () => {
      endSubscription = bus.subscribe('events.arrived', (arrived) => {
        if (arrived.events.some(({ source }) => source === 'subagent')) readSoon()
      })
      await read()
    },
    stop: () => {
      endSubscription()
      endTimer?.()
    },
    events: () => events.slice(0, SHOWN_ROWS),
    agents: () => agents,
    fault: () => fault,
  }
}
