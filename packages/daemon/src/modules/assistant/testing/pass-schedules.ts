import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { settings as settingsShape, sourcesOf } from '@steward/contract'
import { createRedactor } from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'
import { createBus } from '../../../bus/bus.ts'
import type { RequestedWork, WorkOutcome } from '../../../ports.ts'
import { createVirtualClock } from '../../../testing/virtual-clock.ts'
import { createAssistantModule } from '../assistant-module.ts'

const STEP_MS = 5000
/** Of the scheduler and of the diary. */
const MODULE_TIMERS = 2

/** Virtual time from a moment on. */
export const createScheduleTime = (startMs: number) => {
  const clock = createVirtualClock()
  let offsetMs = startMs
  const now = () => clock.now() + offsetMs
  return {
    ...clock,
    now,
    /** Like a machine that sleeps until then: no timer fires. */
    sleepUntil: (atMs: number): void => {
      if (atMs > now()) offsetMs += atMs - now()
    },
  }
}

/** The scheduler of the assistant with the flows of a runtime; each flow runs for real. */
export const startSchedules = async (
  steward: LocalRuntime,
  time: ReturnType<typeof createScheduleTime>,
  onPerformed: (outcome: string) => void,
) => {
  let timers = 0
  const performing = new Set<Promise<unknown>>()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const module = createAssistantModule({
    home: steward.home,
    bus: createBus(log),
    notices: { send: async () => ({ stored: true }) },
    execution: {
      perform: async (work: RequestedWork): Promise<WorkOutcome> => {
        if (work.type !== 'flow') throw new Error('only flows are performed')
        const run = steward.flows.trigger(work.name, {
          isScheduled: true,
          idempotencyKey: work.key,
        })
        performing.add(run)
        const { summary } = await run.finally(() => performing.delete(run))
        onPerformed(summary.outcome)
        return { detail: summary.reason }
      },
      listFlows: async () =>
        steward.catalog.flows.all().map(({ flow }) => ({
          ...flow,
          sourceType: sourcesOf(flow)[0].type,
        })),
      listRuns: async () => [],
    },
    log,
    now: time.now,
    setTimer: (ms, action) => {
      let isPending = true
      timers++
      const end = () => {
        if (isPending) timers--
        isPending = false
      }
      const cancel = time.setTimer(ms, () => {
        end()
        action()
      })
      return () => {
        end()
        cancel()
      }
    },
    settings: () => settingsShape.parse({ assistant: { diary: { enabled: false } } }),
    redactor: () => createRedactor({}),
    commandLine: 'steward',
    newId: () => 'id',
  })
  await module.start?.()
  const database = new DatabaseSync(join(steward.home.databases, 'assistant.sqlite'))
  const isSettled = () =>
    performing.size === 0 &&
    timers >= MODULE_TIMERS &&
    database.prepare("SELECT 1 FROM firings WHERE state IN ('claimed', 'running')").all().length ===
      0
  const settle = async () => {
    for (let quiet = 0; quiet < 3; ) {
      await Promise.all(performing)
      await new Promise((resolve) => setImmediate(resolve))
      quiet = isSettled() ? quiet + 1 : 0
    }
  }
  await settle()
  return {
    /** Lets this time pass; due work is done before more time passes. */
    pass: async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= STEP_MS) {
        time.advance(STEP_MS)
        await settle()
      }
    },
    stop: async (): Promise<void> => {
      await module.stop?.()
      database.close()
    },
  }
}
