import { type AssistantTask, reasonOf } from '@steward/contract'
import { firingsBetween, nextFiring } from '@steward/engine'
import { coalesce } from '@steward/platform'
import type { AssistantModulePorts } from '../ports.ts'
import type { TaskList } from './task-file.ts'
import type { OpenFiring, TaskState } from './task-state.ts'

/** The clock may have been set, the machine may have slept, or the file may have been edited. */
const LOOK_AGAIN_MS = 30_000
const AT_ONCE = 4
const MOST_ATTEMPTS = 3
/** A newly seen task older than this does not catch up on missed firings. */
const NEW_TASK_MS = 10 * 60_000

export interface SchedulerPorts extends Pick<AssistantModulePorts, 'log' | 'now' | 'setTimer'> {
  state: TaskState
  zone: () => string
  readTasks: () => Promise<TaskList>
  perform: (task: AssistantTask, dueMs: number, signal: AbortSignal) => Promise<string>
  /** Notifies the person that it failed. */
  onFailed: (task: AssistantTask, dueMs: number, thrown: unknown) => void
  /** A one-time task has fired. */
  onOver: (task: AssistantTask) => Promise<void>
  onChange: () => void
}

export interface Scheduler {
  /** Resumes firings that a crash interrupted, then looks for due ones. */
  start: () => Promise<void>
  /** Checks now; called after a change. */
  look: () => Promise<void>
  /** Stops running work; it counts as interrupted. */
  stop: () => Promise<void>
  lastLookMs: () => number | null
  fault: () => string | undefined
}

/**
 * Fires tasks. A firing is claimed on disk before it runs and closed there afterwards; at the next
 * start, an open firing means that it was interrupted.
 */
export const createScheduler = (ports: SchedulerPorts): Scheduler => {
  const { state, log, now, setTimer } = ports
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const waiting: Array<() => Promise<void>> = []
  let cancelTimer: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()
  let lastLookMs: number | null = null
  let fault: string | undefined

  const pump = (): void => {
    while (underWay.size < AT_ONCE && !stopping.signal.aborted) {
      const work = waiting.shift()
      if (work === undefined) return
      const running: Promise<void> = work()
        .catch((thrown: unknown) => recordFault(thrown))
        .finally(() => {
          underWay.delete(running)
          ports.onChange()
          pump()
        })
      underWay.add(running)
    }
  }
  const recordFault = (thrown: unknown): void => {
    const reason = reasonOf(thrown)
    if (reason !== fault) log.error(`assistant: tasks: ${reason}`)
    fault = reason
  }

  const fire = async (task: AssistantTask, dueMs: number): Promise<void> => {
    const end = (ending: 'done' | 'failed' | 'cancelled', detail: string) =>
      state.end(task.id, dueMs, { state: ending, detail, atMs: now() })
    const current = (await ports.readTasks()).tasks.find(({ id }) => id === task.id)
    if (current?.status === 'cancelled') return end('cancelled', 'cancelled before it began')
    await state.begin(task.id, dueMs, now())
    try {
      await end('done', await ports.perform(task, dueMs, stopping.signal))
    } catch (thrown) {
      // Left open, so that the next start finds it interrupted.
      if (stopping.signal.aborted) return
      const reason = reasonOf(thrown)
      log.warn(`assistant: task ${task.id} failed: ${reason}`)
      await end('failed', reason)
      ports.onFailed(task, dueMs, thrown)
    }
    if ('at' in task.schedule) await ports.onOver(task)
  }
  const enqueue = (task: AssistantTask, dueMs: number): void => {
    waiting.push(() => fire(task, dueMs))
  }

  /** The time from which its firings count. */
  const cursorOf = (task: AssistantTask, schedule: string): number => {
    const known = state.cursor(task.id)
    // After the clock was set back, firings count from now on; those of before are not repeated.
    if (known?.schedule === schedule) return Math.min(known.cursorMs, now())
    const createdMs = task.created_at === undefined ? now() : Date.parse(task.created_at)
    const isNew = known === undefined && ('at' in task.schedule || now() - createdMs < NEW_TASK_MS)
    return isNew ? Math.min(createdMs, now()) - 1 : now()
  }

  const plan = async (task: AssistantTask): Promise<number | undefined> => {
    const zone = task.schedule.timezone ?? ports.zone()
    const schedule = JSON.stringify({ ...task.schedule, asked: undefined })
    const cursorMs = cursorOf(task, schedule)
    const nowMs = now()
    const { fire: due, missed } = planFirings(task, { cursorMs, nowMs, zone })
    const known = state.cursor(task.id)
    const isMoved = known?.schedule !== schedule || known.cursorMs !== cursorMs
    if (due.length > 0 || missed.length > 0 || isMoved) {
      const claimed = due.map((dueMs) => ({ dueMs, state: 'claimed' as const, detail: null }))
      const detail = `missed while the daemon was not running (catchUp: ${task.catchUp})`
      const over = missed.map((dueMs) => ({ dueMs, state: 'missed' as const, detail }))
      const last = Math.max(cursorMs, ...due, ...missed)
      const fresh = await state.claim(task.id, schedule, last, [...over, ...claimed])
      for (const dueMs of due) if (fresh.has(dueMs)) enqueue(task, dueMs)
      if (due.length === 0 && missed.length > 0 && 'at' in task.schedule) await ports.onOver(task)
    }
    return nextFiring(task.schedule, nowMs, zone)
  }

  const lookOnce = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    cancelTimer?.()
    let nextMs = now() + LOOK_AGAIN_MS
    try {
      const { tasks } = await ports.readTasks()
      for (const task of tasks) {
        if (task.status !== 'active') continue
        nextMs = Math.min(nextMs, (await plan(task)) ?? nextMs)
      }
      fault = undefined
    } catch (thrown) {
      recordFault(thrown)
    }
    lastLookMs = now()
    pump()
    if (stopping.signal.aborted) return
    cancelTimer = setTimer(Math.max(0, nextMs - now()), () => void look())
  }
  const coalesced = coalesce(lookOnce)
  const look = (): Promise<void> => {
    turn = coalesced()
    return turn
  }

  /**
   * Notifications are always repeated, because the outbox deduplicates them. Other work is only
   * retried if the task allows it.
   */
  const takeUp = async (firing: OpenFiring, task: AssistantTask | undefined): Promise<void> => {
    const { dueMs, attempts } = firing
    const wasCutOff = firing.state === 'running' && task?.action.type !== 'notify'
    const isRetried = task?.onInterrupted === 'retry' && attempts < MOST_ATTEMPTS
    if (task !== undefined && (!wasCutOff || isRetried)) {
      if (wasCutOff) log.warn(`assistant: task ${task.id} was interrupted; retrying`)
      enqueue(task, dueMs)
      return
    }
    const detail =
      task === undefined
        ? 'interrupted; the task no longer exists'
        : `interrupted after ${attempts} attempts (onInterrupted: ${task.onInterrupted})`
    log.warn(`assistant: task ${firing.task}: ${detail}`)
    await state.end(firing.task, dueMs, { state: 'interrupted', detail, atMs: now() })
  }

  /** Handles a crash between the only firing of a task and marking the task as done. */
  const closeWhatIsOver = async (tasks: readonly AssistantTask[]): Promise<void> => {
    for (const task of tasks) {
      if (task.status !== 'active' || !('at' in task.schedule)) continue
      const atMs = Date.parse(task.schedule.at)
      const [last] = state.history(task.id, 1)
      if (last === undefined || Date.parse(last.due) !== atMs) continue
      if (last.state !== 'claimed' && last.state !== 'running') await ports.onOver(task)
    }
  }

  return {
    start: async () => {
      try {
        const { tasks } = await ports.readTasks()
        await closeWhatIsOver(tasks)
        for (const firing of state.open()) {
          await takeUp(
            firing,
            tasks.find(({ id }) => id === firing.task),
          )
        }
      } catch (thrown) {
        recordFault(thrown)
      }
      await look()
    },
    look,
    stop: async () => {
      stopping.abort(new Error('the daemon stops'))
      cancelTimer?.()
      await turn
      await Promise.all(underWay)
    },
    lastLookMs: () => lastLookMs,
    fault: () => fault,
  }
}

interface FiringPlan {
  fire: number[]
  /** Due but skipped. */
  missed: number[]
}

/** A firing that is later than this counts as missed. */
const LATE_MS = 60_000
/** Earlier missed firings are ignored. */
const LOOK_BACK_MS = 31 * 86_400_000
const MOST_AT_ONCE = 100

/**
 * Plans the firings after `cursorMs` up to now. `once`: only the newest. `all`: all of them, at
 * most a hundred. `skip`: only one that is not late.
 */
const planFirings = (
  { schedule, catchUp }: Pick<AssistantTask, 'schedule' | 'catchUp'>,
  { cursorMs, nowMs, zone }: { cursorMs: number; nowMs: number; zone: string },
): FiringPlan => {
  const isOnce = 'at' in schedule
  const afterMs = isOnce ? cursorMs : Math.max(cursorMs, nowMs - LOOK_BACK_MS)
  const range = { afterMs, untilMs: nowMs, limit: MOST_AT_ONCE }
  const { times } = firingsBetween(schedule, range, zone)
  if (catchUp === 'all') return { fire: times, missed: [] }
  const newest = times.at(-1)
  if (newest === undefined) return { fire: [], missed: [] }
  if (catchUp === 'skip' && nowMs - newest > LATE_MS) return { fire: [], missed: times }
  return { fire: [newest], missed: times.slice(0, -1) }
}
