import type { AssistantTask, TaskRow } from '@steward/contract'
import { describeTiming, formatInZone, nextFiring, startOf, timingOf } from '@steward/engine'
import type { ScheduledFlow } from '../../../ports.ts'
import type { TaskState } from './task-state.ts'

/** Ids of tasks in the file contain no colon, so that they never clash with flows. */
const PREFIX = 'flow:'

const flowTaskId = ({ id }: Pick<ScheduledFlow, 'id'>): string => `${PREFIX}${id}`
export const isFlowTaskId = (id: string): boolean => id.startsWith(PREFIX)

const isTimedHere = ({ schedule }: ScheduledFlow): boolean => schedule.runsOn === 'here'

/** The flows that this machine starts on schedule, in the scheduler's form. */
export const flowTasks = (flows: readonly ScheduledFlow[]): AssistantTask[] =>
  flows.filter(isTimedHere).map((flow) => ({
    id: flowTaskId(flow),
    description: flow.name,
    schedule: timingOf(flow.schedule),
    action: { type: 'flow', flow: flow.name },
    status: flow.schedule.enabled ? 'active' : 'cancelled',
    catchUp: flow.schedule.catchUp ?? 'once',
    onInterrupted: 'retry',
    tags: [],
  }))

const STATUSES = {
  disabled: 'disabled',
  webhook: 'active',
  schedule: 'active',
  manual: 'manual here',
} as const

/** A flow in the list of everything scheduled. */
export const describeFlowRow = (
  flow: ScheduledFlow,
  { nowMs, zone, state }: { nowMs: number; zone: string; state: TaskState },
): TaskRow => {
  const { name, schedule } = flow
  const row = { name, source: 'pulse' as const, next: null }
  const status = STATUSES[startOf(flow)]
  const isCalled = flow.sourceType === 'webhook'
  const words = isCalled
    ? `when its webhook is called; failed items ${describeTiming(schedule)}`
    : describeTiming(schedule)
  if (isCalled && !isTimedHere(flow)) {
    return { ...row, schedule: 'when its webhook is called', status, details: { flow: name } }
  }
  if (!isTimedHere(flow)) {
    const note = 'scheduled on its worker; here it runs when triggered'
    return { ...row, schedule: `${words} on the edge`, status, details: { flow: name, note } }
  }
  const own = schedule.timezone ?? zone
  const nextMs = schedule.enabled ? nextFiring(timingOf(schedule), nowMs, own) : undefined
  const [last] = state.history(flowTaskId(flow), 1)
  const { fired, lastMs } = state.counts(flowTaskId(flow))
  return {
    ...row,
    schedule: words,
    status,
    next: nextMs === undefined ? null : formatInZone(nextMs, own),
    details: {
      id: flowTaskId(flow),
      flow: name,
      fire_count: fired,
      last_fired: lastMs === null ? null : formatInZone(lastMs, own),
      ...(last === undefined ? {} : { last_state: last.state, last_detail: last.detail }),
    },
  }
}
