import { API, type AssistantTask, StewardError, type TaskRow, unwrap } from '@steward/contract'
import { describeSchedule, formatInZone, nextFiring, nextFirings } from '@steward/engine'
import { type Handler, handle } from '../../../module.ts'
import type { AssistantFiles } from '../files/assistant-files.ts'
import type { AssistantModulePorts } from '../ports.ts'
import { buildTask, findObstacle } from './create-task.ts'
import { describeFlowRow, flowTasks } from './flow-tasks.ts'
import { addTask, isOpen, readTasks, setTaskStatus, type TaskList } from './task-file.ts'
import type { TaskState } from './task-state.ts'

export interface TaskHandlerPorts
  extends Pick<AssistantModulePorts, 'execution' | 'now' | 'settings' | 'newId'> {
  files: AssistantFiles
  state: () => TaskState
  zone: () => string
  /** Kinds of action that need approval. */
  mustAsk: () => Promise<readonly string[]>
  /** Other scheduled work: the daemon's own and the crons of sessions. */
  otherRows: () => TaskRow[]
  /** Called after a change, before the answer. */
  onChange: () => Promise<void>
}

const SHOWN_NEXT = 3

export const createTaskHandlers = (ports: TaskHandlerPorts): Handler[] => {
  const { files, now, execution } = ports
  const list = (): Promise<TaskList> => readTasks(files)

  const zoneOf = (task: AssistantTask): string => task.schedule.timezone ?? ports.zone()
  const understand = (task: AssistantTask) => {
    const zone = zoneOf(task)
    const next = nextFirings(task.schedule, now() - 1, zone, SHOWN_NEXT)
    return {
      understood: describeSchedule(task.schedule, zone),
      timezone: zone,
      next: next.map((time) => formatInZone(time, zone)),
    }
  }
  const describe = (task: AssistantTask): TaskRow => {
    const zone = zoneOf(task)
    const next = task.status === 'active' ? nextFiring(task.schedule, now(), zone) : undefined
    const { fired, lastMs } = ports.state().counts(task.id)
    return {
      name: task.description,
      schedule: describeSchedule(task.schedule, zone),
      status: task.status,
      source: 'da',
      next: next === undefined ? null : formatInZone(next, zone),
      details: {
        id: task.id,
        action: task.action,
        fire_count: fired,
        last_fired: lastMs === null ? null : formatInZone(lastMs, zone),
      },
    }
  }
  const find = async (
    id: string,
    others: readonly AssistantTask[] = [],
  ): Promise<AssistantTask> => {
    const tasks = [...(await list()).tasks, ...others]
    const exact = tasks.find((task) => task.id === id)
    const found = exact === undefined ? tasks.filter((task) => task.id.startsWith(id)) : [exact]
    const [first] = found
    if (first === undefined) throw new StewardError('not_found', { what: 'task', name: id })
    if (found.length === 1) return first
    const candidates = found.map((task) => task.id).join(', ')
    throw new StewardError('ambiguous', { name: id, candidates })
  }

  return [
    handle(API.listTasks, async ({ query }) => {
      const { tasks, problems } = await list()
      const shown = [
        ...tasks.filter((task) => query.all || isOpen(task)).map(describe),
        ...((await execution.listFlows()) ?? []).map((flow) =>
          describeFlowRow(flow, { nowMs: now(), zone: ports.zone(), state: ports.state() }),
        ),
        ...ports.otherRows(),
      ]
      const bySource = Map.groupBy(shown, ({ source }) => source)
      return {
        tasks: shown,
        count: shown.length,
        by_source: Object.fromEntries([...bySource].map(([source, rows]) => [source, rows.length])),
        problems,
      }
    }),
    handle(API.createTask, async ({ body }) => {
      const mustAsk = await ports.mustAsk()
      const context = { nowMs: now(), zone: ports.zone(), mustAsk, newId: ports.newId }
      const built = unwrap(buildTask(body, context))
      const task = built
      const { allowScripts } = ports.settings().assistant
      const obstacle = findObstacle(task, { allowScripts, flows: await execution.listFlows() })
      if (obstacle !== undefined) throw obstacle
      const answer = {
        ok: true as const,
        id: task.id,
        status: task.status,
        requires_confirmation: task.status === 'pending_approval',
        ...understand(task),
      }
      if (body.dryRun) return answer
      await addTask(files, task)
      await ports.onChange()
      return answer
    }),
    handle(API.approveTask, async ({ params }) => {
      const { id, status } = await find(params.id)
      if (status !== 'pending_approval') return { ok: true as const, id, status }
      await setTaskStatus(files, id, 'active')
      await ports.onChange()
      return { ok: true as const, id, status: 'active' }
    }),
    handle(API.cancelTask, async ({ params }) => {
      const { id, status } = await find(params.id)
      if (status !== 'done') await setTaskStatus(files, id, 'cancelled')
      await ports.onChange()
      return { ok: true as const, cancelled: id }
    }),
    handle(API.getTaskHistory, async ({ params, query }) => {
      const { id } = await find(params.id, flowTasks((await execution.listFlows()) ?? []))
      return { id, firings: ports.state().history(id, query.limit) }
    }),
  ]
}
