import { type AssistantTask, StewardError } from '@steward/contract'
import type { NoticeTaken, RequestedWork, WorkOutcome } from '../../../bus/bus.ts'
import type { AssistantModulePorts } from '../ports.ts'

type Ports = Pick<AssistantModulePorts, 'bus' | 'settings'>

const TOLD_CHARS = 2000

/** The key of a firing: whatever happens with it, it is told and paid for once under this. */
export const firingKey = (task: string, dueMs: number): string =>
  `task:${task}:${new Date(dueMs).toISOString()}`

/** Does what a task is for; answers with what came of it, for its history. What fails is thrown. */
export const performTask = async (
  task: AssistantTask,
  dueMs: number,
  signal: AbortSignal,
  ports: Ports,
): Promise<string> => {
  const { action, description } = task
  const key = firingKey(task.id, dueMs)
  if (action.type === 'notify') {
    const { message, channel } = action
    const channels = channel === undefined ? {} : { channels: [channel] }
    const { repeated } = await tell(ports, { message, title: description, key, ...channels })
    return repeated ? 'told before' : 'told'
  }
  if (action.type === 'script' && !ports.settings().assistant.allowScripts) {
    throw new StewardError('not_configured', {
      subject: 'running scripts',
      reason: 'assistant.allowScripts in settings.json is off',
    })
  }
  const { detail, model } = await request(workOf(action, key), signal, ports)
  if ('notify' in action && action.notify) {
    await tell(ports, { message: detail.slice(-TOLD_CHARS), title: description, key })
  }
  return model === undefined ? detail : `${detail}\n(${model})`
}

const workOf = (
  action: Exclude<AssistantTask['action'], { type: 'notify' }>,
  key: string,
): RequestedWork => {
  if (action.type === 'prompt') {
    return { type: 'prompt', prompt: action.prompt, tier: action.tier, key }
  }
  if (action.type === 'flow') return { type: 'flow', name: action.flow }
  const { command, timeoutSeconds } = action
  return { type: 'script', command, timeoutMs: timeoutSeconds * 1000 }
}

interface Told {
  message: string
  title: string
  key: string
  channels?: readonly ('push' | 'chat' | 'desktop' | 'email')[]
}

/** On disk when it resolves: the outbox delivers it, once, whatever happens to this process. */
export const tell = async ({ bus }: Pick<Ports, 'bus'>, notice: Told): Promise<NoticeTaken> => {
  const outcomes: Promise<NoticeTaken>[] = []
  const taken = (outcome: Promise<NoticeTaken>): void => {
    outcomes.push(outcome)
  }
  bus.publish('notice', { kind: 'longTask', ...notice, taken })
  const outcome = await outcomes[0]
  if (outcome?.stored === true) return outcome
  throw new StewardError('not_configured', {
    subject: 'telling you',
    reason: outcome?.reason ?? 'no notifications module is running',
  })
}

/** Hands work to whoever runs things here. */
export const request = (
  work: RequestedWork,
  signal: AbortSignal,
  { bus }: Pick<Ports, 'bus'>,
): Promise<WorkOutcome> => {
  const accepted: Promise<WorkOutcome>[] = []
  const accept = (outcome: Promise<WorkOutcome>): void => {
    accepted.push(outcome)
  }
  bus.publish('work.requested', { work, signal, accept })
  const [outcome] = accepted
  if (outcome !== undefined) return outcome
  const reason = 'no execution module is running'
  return Promise.reject(new StewardError('module_failed', { module: 'execution', reason }))
}
