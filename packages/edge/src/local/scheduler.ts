import { reasonOf } from '@steward/contract'
import { type Cron, nextTime, parseCron } from '@steward/engine'
import type { Clock } from './clock.ts'

/** One cron line of one worker. */
export interface Schedule {
  worker: string
  cron: string
}

export interface Fired extends Schedule {
  scheduledTimeMs: number
  /** The outcome of the worker's handler: `ok`, `exception`… */
  outcome: string
  /**
   * Earlier ticks that were missed, for example while the machine slept; this one replaces them.
   */
  missed: number
}

export interface SchedulerPorts {
  clock: Clock
  /** Runs the worker's `scheduled()` and returns its outcome. */
  fire: (schedule: Schedule, scheduledTimeMs: number) => Promise<string>
  onFired: (fired: Fired) => void
  /** A warning for the user: a skipped tick, an invalid cron. */
  warn: (message: string) => void
}

export interface Scheduler {
  /** Replaces the schedules. An existing cron keeps its next time. */
  set(schedules: readonly Schedule[]): void
  /** Resolves when no handler is running. */
  idle(): Promise<void>
  /** No more ticks; running handlers finish. */
  stop(): void
}

interface Entry extends Schedule {
  parsed: Cron
  cancel: () => void
  isRunning: boolean
}

/** Fires crons on the minute. A worker's ticks never overlap: an overlapping one is skipped. */
export const createScheduler = ({ clock, fire, onFired, warn }: SchedulerPorts): Scheduler => {
  const entries = new Map<string, Entry>()
  const running = new Map<string, Promise<void>>()

  const wait = (entry: Entry, afterMs: number): void => {
    const due = nextTime(entry.parsed, new Date(afterMs))
    entry.cancel =
      due === undefined ? () => undefined : clock.at(due.getTime(), () => tick(entry, due))
  }

  const tick = (entry: Entry, due: Date): void => {
    const { latest, missed } = catchUp(entry.parsed, due, clock.now())
    wait(entry, latest.getTime())
    const { worker, cron } = entry
    if (missed > 0) {
      warn(`${worker}: ${missed} tick(s) of cron '${cron}' were missed; it runs once instead`)
    }
    if (entry.isRunning) {
      warn(
        `${worker}: cron '${cron}' skipped at ${latest.toISOString()}: the previous run has not ended`,
      )
      return
    }
    entry.isRunning = true
    // Another cron of the same worker is due at the same time, so this one runs after it.
    const turn = running.get(worker) ?? Promise.resolve()
    const run = turn
      .then(() => start({ worker, cron }, latest.getTime(), missed))
      .finally(() => {
        entry.isRunning = false
        if (running.get(worker) === run) running.delete(worker)
      })
    running.set(worker, run)
  }

  const start = async (schedule: Schedule, scheduledTimeMs: number, missed: number) => {
    const outcome = await fire(schedule, scheduledTimeMs).catch((thrown: unknown) => {
      warn(`${schedule.worker}: cron '${schedule.cron}' failed: ${reasonOf(thrown)}`)
      return 'exception'
    })
    onFired({ ...schedule, scheduledTimeMs, outcome, missed })
  }

  const clear = (key: string, entry: Entry): void => {
    entry.cancel()
    entries.delete(key)
  }

  return {
    set: (schedules) => {
      const wanted = new Map(schedules.map((each) => [`${each.worker} ${each.cron}`, each]))
      for (const [key, entry] of entries) if (!wanted.has(key)) clear(key, entry)
      for (const [key, schedule] of wanted) {
        if (entries.has(key)) continue
        const parsed = parseCron(schedule.cron)
        if (!parsed.ok) {
          warn(`${schedule.worker}: ${parsed.error.message}`)
          continue
        }
        const entry: Entry = {
          ...schedule,
          parsed: parsed.value,
          cancel: () => undefined,
          isRunning: false,
        }
        entries.set(key, entry)
        wait(entry, clock.now())
      }
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values())
    },
    stop: () => {
      for (const [key, entry] of entries) clear(key, entry)
    },
  }
}

/** The last tick up to now, and the number of missed ticks since the expected one. */
const catchUp = (cron: Cron, due: Date, nowMs: number): { latest: Date; missed: number } => {
  let latest = due
  let missed = 0
  for (;;) {
    const next = nextTime(cron, latest)
    if (next === undefined || next.getTime() > nowMs) return { latest, missed }
    latest = next
    missed += 1
  }
}
