import { type AssistantTask, reasonOf } from '@steward/contract'
import { firingsBetween, nextFiring } from '@steward/engine'
import { coalesce } from '@steward/platform'
import type { AssistantModulePorts } from '../ports.ts'
import type { OpenFiring, TaskState } from './task-state.ts'

/** The clock may have been set, the machine may have slept, or the file may have been edited. */
const LOOK_AGAIN_MS = 30_000
const AT_ONCE = 4
const MOST_ATTEMPTS = 3
/** The run of a flow continues where it stopped, so that each attempt makes progress. */
const MOST_FLOW_ATTEMPTS = 20
/** A newly seen task older than this does not catch up on missed firings. */
const NEW_TASK_MS = 10 * 60_000

export interface SchedulerPorts extends Pick<AssistantModulePorts, 'log' | 'now' | 'setTimer'> {
  state: TaskState
  zone: () => string
  readTasks: () => Promise<ScheduledTasks>
  perform: (task: AssistantTask, dueMs: number, signal: AbortSignal) => Promise<string>
  /** Notifies the person that it failed. */
  onFailed: (task: AssistantTask, dueMs: number, thrown: unknown) => void
  /** A one-time task has fired. */
  onOver: (task: AssistantTask) => Promise<void>
  onChange: () => void
}

export interface ScheduledTasks {
  tasks: readonly AssistantTask[]
  /** Why some tasks could not be read; the others fire. */
  fault?: unknown
  /** Whether a task that is not listed may exist in a place that could not be read. */
  mayExist?: (id: string) => boolean
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
  const waiting: Array<{ task: AssistantTask; dueMs: number }> = []
  /** Due times of the firings that this process has taken, by task. */
  const taken = new Map<string, Set<number>>()
  const runningFlows = new Set<string>()
  let cancelTimer: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()
  let lastLookMs: number | null = null
  let fault: string | undefined

  const pump = (): void => {
    while (underWay.size < AT_ONCE && !stopping.signal.aborted) {
      // A flow has one run at a time.
      const index = waiting.findIndex(({ task }) => !runningFlows.has(task.id))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      const { task, dueMs } = next
      if (task.action.type === 'flow') runningFlows.add(task.id)
      const running: Promise<void> = fire(task, dueMs)
        .then(() => taken.get(task.id)?.delete(dueMs))
        .catch((thrown: unknown) => recordFault(thrown))
        .finally(() => {
          underWay.delete(running)
          runningFlows.delete(task.id)
          ports.onChange()
          pump()
        })
        .then(() => undefined)
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
    const times = taken.get(task.id) ?? new Set()
    taken.set(task.id, times.add(dueMs))
    waiting.push({ task, dueMs })
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

  /** An earlier firing of the flow still waits; it will do the work of this one too. */
  const isBehind = ({ id, action, catchUp }: AssistantTask): boolean =>
    action.type === 'flow' && catchUp !== 'all' && waiting.some(({ task }) => task.id === id)

  /** Times that pass while a task is switched off are not caught up. */
  const passOver = async (task: AssistantTask): Promise<void> => {
    const known = state.cursor(task.id)
    if (known === undefined || known.cursorMs >= now()) return
    const next = nextFiring(task.schedule, known.cursorMs, task.schedule.timezone ?? ports.zone())
    if (next !== undefined && next <= now()) await state.claim(task.id, known.schedule, now(), [])
  }

  const plan = async (task: AssistantTask): Promise<number | undefined> => {
    const zone = task.schedule.timezone ?? ports.zone()
    const schedule = JSON.stringify({ ...task.schedule, asked: undefined })
    const cursorMs = cursorOf(task, schedule)
    const nowMs = now()
    const planned = planFirings(task, { cursorMs, nowMs, zone })
    const { fire: due, missed, reason } = isBehind(task) ? skipFirings(planned) : planned
    const known = state.cursor(task.id)
    const isMoved = known?.schedule !== schedule || known.cursorMs !== cursorMs
    if (due.length > 0 || missed.length > 0 || isMoved) {
      const claimed = due.map((dueMs) => ({ dueMs, state: 'claimed' as const, detail: null }))
      const over = missed.map((dueMs) => ({ dueMs, state: 'missed' as const, detail: reason }))
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
      const { tasks, fault: unread, mayExist } = await ports.readTasks()
      await takeUpAll(tasks, mayExist)
      for (const task of tasks) {
        if (task.status !== 'active') await passOver(task)
        else nextMs = Math.min(nextMs, (await plan(task)) ?? nextMs)
      }
      if (unread === undefined) fault = undefined
      else recordFault(unread)
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
    const most = task?.action.type === 'flow' ? MOST_FLOW_ATTEMPTS : MOST_ATTEMPTS
    const isRetried = task?.onInterrupted === 'retry' && attempts < most
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

  /** Resumes firings that another process left open. */
  const takeUpAll = async (
    tasks: readonly AssistantTask[],
    mayExist: (id: string) => boolean = () => false,
  ): Promise<void> => {
    for (const firing of state.open()) {
      if (taken.get(firing.task)?.has(firing.dueMs)) continue
      const task = tasks.find(({ id }) => id === firing.task)
      if (task !== undefined || !mayExist(firing.task)) await takeUp(firing, task)
    }
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
        await closeWhatIsOver((await ports.readTasks()).tasks)
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
  /** Due but skipped, and why. */
  missed: number[]
  reason: string
}

const skipFirings = ({ fire, missed }: FiringPlan): FiringPlan => ({
  fire: [],
  missed: [...missed, ...fire],
  reason: 'an earlier run of the flow was still waiting',
})

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
  const reason = `missed while the daemon was not running (catchUp: ${catchUp})`
  if (catchUp === 'all') return { fire: times, missed: [], reason }
  const newest = times.at(-1)
  if (newest === undefined) return { fire: [], missed: [], reason }
  if (catchUp === 'skip' && nowMs - newest > LATE_MS) return { fire: [], missed: times, reason }
  return { fire: [newest], missed: times.slice(0, -1), reason }
}
