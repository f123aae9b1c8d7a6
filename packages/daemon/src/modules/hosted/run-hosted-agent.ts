import {
  type HostedAgentOutcome,
  type HostedAgentTask,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { pause } from '@steward/platform'
import { z } from 'zod'
import { getClient } from './find-client.ts'
import type { HostedClient } from './hosted-client.ts'
import type { HostedModulePorts } from './ports.ts'

interface KeyedTask {
  /** The same key is the same session, also after a restart. */
  key: string
  /** Ends the wait. The session goes on, unless the run was cancelled. */
  signal: AbortSignal
}

const LOOK_MS = 2000
const LISTED = 1000
/** The metadata that finds the session of a step again. */
export const STEP = 'steward_step'

const named = z.object({ data: z.array(z.looseObject({ id: z.string(), name: z.string() })) })
const session = z.looseObject({
  id: z.string(),
  status: z.string(),
  metadata: z.record(z.string(), z.string()),
  usage: z.looseObject({ list_cost: z.looseObject({ amount: z.string() }).optional() }),
})
const sessions = z.object({ data: z.array(session) })
const events = z.object({
  data: z.array(
    z.looseObject({
      type: z.string(),
      content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
      stop_reason: z.looseObject({ type: z.string() }).optional(),
    }),
  ),
})
const files = z.object({
  data: z.array(z.looseObject({ id: z.string(), filename: z.string(), size_bytes: z.number() })),
})

/** Runs a task in a hosted session and waits for the end of its turn, also across restarts. */
export const runHostedAgent = async (
  task: HostedAgentTask,
  { key, signal }: KeyedTask,
  ports: HostedModulePorts,
): Promise<HostedAgentOutcome> => {
  const id = await findOrStart(task, key, await getClient(ports))
  try {
    for (;;) {
      signal.throwIfAborted()
      const outcome = await lookAt(id, ports)
      if (outcome !== undefined) return outcome
      await pause(LOOK_MS, signal)
    }
  } catch (thrown) {
    if (isCancelled(signal)) await interrupt(id, ports)
    throw thrown
  }
}

/** A run that is only interrupted is resumed later and finds its session again. */
const isCancelled = ({ aborted, reason }: AbortSignal): boolean =>
  aborted &&
  reason instanceof StewardError &&
  (reason.code === 'run_cancelled' || reason.code === 'timeout')

const interrupt = async (id: string, ports: HostedModulePorts): Promise<void> => {
  try {
    const client = await getClient(ports)
    await client.ask(`/sessions/${id}/events`, { events: [{ type: 'user.interrupt' }] })
  } catch (thrown) {
    ports.log.warn(`hosted: session ${id} could not be interrupted: ${reasonOf(thrown)}`)
  }
}

const findOrStart = async (
  task: HostedAgentTask,
  key: string,
  client: HostedClient,
): Promise<string> => {
  const agent = await findNamed(client, 'agents', 'agent_', task.agent)
  const listed = sessions.parse(
    await client.ask(`/sessions?agent_id=${encodeURIComponent(agent)}&limit=${LISTED}`),
  )
  const known = listed.data.find(({ metadata }) => metadata[STEP] === key)
  if (known !== undefined) return known.id
  const { budget } = task
  const body = {
    agent,
    environment_id: await findNamed(client, 'environments', 'env_', task.environment),
    metadata: { [STEP]: key },
    title: task.title ?? null,
    vault_ids: task.vault_ids ?? [],
    resources: task.resources ?? [],
    initial_events: [{ type: 'user.message', content: [{ type: 'text', text: task.prompt }] }],
    ...(budget === undefined ? {} : { budget: limitOf(budget) }),
  }
  return session.parse(await client.ask('/sessions', body, `step ${key}`)).id
}

const CENTS = 100
const limitOf = (dollars: number) => ({
  type: 'limit',
  max_list_cost: { amount: String(Math.max(1, Math.round(dollars * CENTS))), currency: 'USD' },
})

const findNamed = async (
  client: HostedClient,
  what: 'agents' | 'environments',
  prefix: string,
  word: string,
): Promise<string> => {
  if (word.startsWith(prefix)) return word
  const { data } = named.parse(await client.ask(`/${what}?limit=${LISTED}`))
  const found = data.find(({ name }) => name === word)
  if (found !== undefined) return found.id
  throw new StewardError('not_found', { what: what.slice(0, -1), name: word })
}

/** Undefined while it works or waits for a person, and while its server is away. */
const lookAt = async (
  id: string,
  ports: HostedModulePorts,
): Promise<HostedAgentOutcome | undefined> => {
  try {
    return await readOutcome(id, await getClient(ports))
  } catch (thrown) {
    const isAway =
      thrown instanceof StewardError &&
      (thrown.code === 'upstream_failed' || thrown.code === 'module_failed')
    if (!isAway) throw thrown
    ports.log.warn(`hosted: session ${id} cannot be followed now: ${reasonOf(thrown)}`)
    return undefined
  }
}

const readOutcome = async (
  id: string,
  client: HostedClient,
): Promise<HostedAgentOutcome | undefined> => {
  const { status, usage } = session.parse(await client.ask(`/sessions/${id}`))
  if (status !== 'idle' && status !== 'terminated') return undefined
  const types = ['session.status_idle', 'session.status_terminated', 'agent.message']
  const only = types.map((type) => `types[]=${type}`).join('&')
  const log = events.parse(await client.ask(`/sessions/${id}/events?order=desc&limit=50&${only}`))
  const end = log.data.find(({ type }) => type !== 'agent.message')
  const stop = end?.stop_reason?.type ?? end?.type
  if (stop === undefined || stop === 'requires_action') return undefined
  const said = log.data.find(({ type }) => type === 'agent.message')
  const outputs = files.parse(await client.ask(`/files?scope_id=${id}&limit=${LISTED}`))
  const cost = usage.list_cost
  return {
    session: id,
    stop,
    answer: (said?.content ?? [])
      .flatMap(({ text }) => (text === undefined ? [] : [text]))
      .join('\n'),
    files: outputs.data.map(({ id: file, filename, size_bytes }) => ({
      id: file,
      name: filename,
      bytes: size_bytes,
    })),
    costUsd: cost === undefined ? null : Number(cost.amount) / CENTS,
  }
}
