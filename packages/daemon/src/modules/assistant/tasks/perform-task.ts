import { type AssistantTask, StewardError } from '@steward/contract'
import type { Notice, NoticeSent, RequestedWork } from '../../../ports.ts'
import type { AssistantModulePorts } from '../ports.ts'

type Ports = Pick<AssistantModulePorts, 'notices' | 'execution' | 'settings'>

const TOLD_CHARS = 2000

/** The idempotency key of a firing: it is notified and paid for at most once. */
export const firingKey = (task: string, dueMs: number): string =>
  `task:${task}:${new Date(dueMs).toISOString()}`

/** Performs a task and returns the result for its history. Throws on failure. */
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
    return repeated ? 'notified before' : 'notified'
  }
  if (action.type === 'script' && !ports.settings().assistant.allowScripts) {
    throw new StewardError('not_configured', {
      subject: 'running scripts',
      reason: 'assistant.allowScripts in settings.json is off',
    })
  }
  const { detail, model } = await ports.execution.perform(workOf(action, key), signal)
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
  if (action.type === 'flow') return { type: 'flow', name: action.flow, key }
  const { command, timeoutSeconds } = action
  return { type: 'script', command, timeoutMs: timeoutSeconds * 1000 }
}

/**
 * The notice is on disk when this resolves; the outbox delivers it exactly once, even after a
 * crash.
 */
const tell = async (
  { notices }: Pick<Ports, 'notices'>,
  notice: Omit<Notice, 'kind'>,
): Promise<NoticeSent> => {
  const sent = await notices.send({ kind: 'longTask', ...notice })
  if (sent.stored) return sent
  throw new StewardError('not_configured', {
    subject: 'telling you',
    reason: sent.reason ?? 'the notice was not stored',
  })
}
