import type { TaskRow } from '@steward/contract'
import { dayOf, formatInZone } from '@steward/engine'
import type { AssistantFiles } from '../files/assistant-files.ts'
import type { AssistantModulePorts } from '../ports.ts'
import { nextMidnight, writeMissingPages } from './diary.ts'

interface DiaryPorts extends AssistantModulePorts {
  files: AssistantFiles
  zone: () => string
  /** Does the work after the module's earlier work, and records a fault if it fails. */
  attempt: (what: string, work: () => Promise<unknown>) => Promise<void>
  onChange: () => void
}

export interface DiaryKeeper {
  /** Writes missing pages now, and each day's page after its end. */
  start: () => void
  stop: () => void
  /** The next page as a row of the task list; none if the diary is switched off. */
  rows: () => TaskRow[]
}

/** A day's page is written after midnight, with time for the last rows to arrive. */
const AFTER_MIDNIGHT_MS = 60_000
const LONGEST_TIMER_MS = 3_600_000

export const createDiaryKeeper = (ports: DiaryPorts): DiaryKeeper => {
  const { now, setTimer, settings, zone, attempt, onChange } = ports
  const stopping = new AbortController()
  let cancelTimer: (() => void) | undefined
  /** Finished days do not change, so they are checked once per day. */
  let keptOn: string | undefined

  const dueMs = (): number => nextMidnight(now(), zone()) + AFTER_MIDNIGHT_MS
  const keep = (): void => {
    const day = dayOf(now(), zone())
    if (settings().assistant.diary.enabled && day !== keptOn) {
      void attempt('the diary cannot be written', async () => {
        const written = await writeMissingPages(ports, stopping.signal)
        keptOn = day
        if (written > 0) onChange()
      })
    }
    cancelTimer = setTimer(Math.min(dueMs() - now(), LONGEST_TIMER_MS), keep)
  }

  return {
    start: keep,
    stop: () => {
      stopping.abort(new Error('the daemon stops'))
      cancelTimer?.()
    },
    rows: () =>
      settings().assistant.diary.enabled
        ? [
            {
              name: 'diary',
              schedule: 'every day at its end',
              status: 'active',
              source: 'pulse',
              next: formatInZone(dueMs(), zone()),
            },
          ]
        : [],
  }
}
