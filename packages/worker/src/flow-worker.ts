import {
  describeIssues,
  type FlowEntry,
  fields,
  flowEntry,
  ITEM_STATES,
  issuesOf,
  LIMITS,
  parseJson,
  retryItems,
  StewardError,
  sourcesOf,
  toStewardError,
  unwrap,
} from '@steward/contract'
import {
  checkWebhookBody,
  edgeCronOf,
  enqueueItem,
  type FlowItem,
  isEdgeDue,
  nameDestinations,
  readGiven,
} from '@steward/engine'
import { z } from 'zod'
import { findQueue } from './bindings.ts'
import type { WorkerEnv } from './env.ts'
import { acceptWebhook } from './flow/accept-webhook.ts'
import type { FlowAssets } from './flow/assets.ts'
import { checkBindings } from './flow/check-bindings.ts'
import type { QueueBatch } from './flow/consume-queue.ts'
import { createFlowStore } from './flow/flow-store.ts'
import { createInvocation, type Invocation } from './flow/invocation.ts'
import { openLedger } from './flow/open-ledger.ts'
import { createPendingCalls } from './flow/pending-calls.ts'
import { readClock } from './flow/read-clock.ts'
import { type RunInput, runFlow, startsByItself } from './flow/run-flow.ts'
import { createRunGuard } from './flow/run-guard.ts'
import { createFetchHandler } from './http/create-fetch-handler.ts'
import { readBytes } from './http/read-input.ts'
import { notAllowed, respond } from './http/respond.ts'
import {
  type FetchHandler,
  PLATFORM_PORTS,
  type WorkerContext,
  type WorkerPorts,
} from './platform.ts'
import { answerOnce, keyedRunOf } from './runs/answer-once.ts'
import { answerRuns, isRunsPath } from './runs/answer-runs.ts'
import { writeLog } from './write-log.ts'

export interface FlowWorker {
  fetch: FetchHandler
  scheduled: (
    event: { scheduledTime: number },
    env: WorkerEnv,
    context: WorkerContext,
  ) => Promise<void>
  queue: (batch: QueueBatch, env: WorkerEnv, context: WorkerContext) => Promise<void>
}

/** The method of each path; `/webhook` exists only for flows with a webhook source. */
const METHODS: Record<string, string> = {
  '/trigger': 'POST',
  '/status': 'GET',
  '/items': 'GET',
  '/retry': 'POST',
  '/webhook': 'POST',
}

/**
 * A flow as a worker (spec 1, Flow worker): cron and queues start it, `POST /trigger` starts it by
 * hand, `POST /webhook` accepts signed calls, `GET /status` returns the last run's result, `GET
 * /items` the states of its items, and `POST /retry` works on undelivered ones again.
 *
 * Runs started by `/trigger` and `/webhook` continue after the response, for up to 30 seconds on
 * the platform. An interrupted run loses nothing: each item is marked when it is done, and the next
 * run continues with the rest.
 */
export const createFlowWorker = (
  entry: unknown,
  assets: FlowAssets = {},
  ports: WorkerPorts = PLATFORM_PORTS,
): FlowWorker => {
  const flow = parseEntry(entry)
  const { name, schedule } = flow
  const [source] = sourcesOf(flow)
  const guard = createRunGuard(name)
  const invoke = async (env: WorkerEnv) => createInvocation(env, ports, await readClock(env, ports))
  const isWebhookCall = (request: Request) =>
    source.type === 'webhook' &&
    request.method === 'POST' &&
    new URL(request.url).pathname === '/webhook'

  const start = async (
    invocation: Invocation,
    context: WorkerContext,
    input: RunInput = {},
  ): Promise<Response> => {
    const { env, runId } = invocation
    const work = runFlow(flow, assets, invocation, input).catch((thrown: unknown) => {
      writeLog(ports, env, { flow: name, run_id: runId, error: toStewardError(thrown) })
    })
    context.waitUntil(input.calls === undefined ? guard.hold(invocation, work) : work)
    return respond({ success: true, message: `${name} was started`, run_id: runId }, 202)
  }

  /** The item is a message like any other: the queue calls this worker with it. */
  const enqueue = async (
    queue: string,
    { env, now, subrequests, runId }: Invocation,
    item: FlowItem | undefined,
  ): Promise<Response> => {
    if (item === undefined) throw startsByItself(name, queue)
    subrequests.spend()
    const message = { flow: name, item, fields: item.payload, now: new Date(now()) }
    await enqueueItem(findQueue(env, queue), message)
    return respond(
      { success: true, message: `${name} will get it from ${queue}`, run_id: runId },
      202,
    )
  }

  const trigger: FetchHandler = async (request, env, context) => {
    const isForced = new URL(request.url).searchParams.get('force') === '1'
    if (!schedule.enabled && !isForced) throw new StewardError('flow_disabled', { flow: name })
    const invocation = { ...(await invoke(env)), ...keyedRunOf(request) }
    guard.check(invocation)
    checkBindings(flow, env)
    const given = readInput(fields, await readJson(request))
    const hasInput = Object.keys(given).length > 0
    if (source.type !== 'webhook' || !hasInput) {
      const newId = () => `input-${invocation.runId}`
      const read = hasInput ? readGiven(flow, given, assets.takes ?? { read: [] }, newId) : {}
      if (source.type === 'queue') return enqueue(source.queue, invocation, read.item)
      return start(invocation, context, { byHand: true, ...read })
    }
    const body = JSON.stringify(given)
    checkWebhookBody(source, body)
    const pending = createPendingCalls(invocation.kv('FLOW_STATE'), flow.id)
    return start(invocation, context, { calls: [await pending.keep(invocation.runId, body)] })
  }

  const items: FetchHandler = async (request, env) => {
    const asked = URL.parse(request.url)?.searchParams
    const { state, limit } = readInput(itemsQuery, Object.fromEntries(asked ?? []))
    const ledger = await openLedger(flow.id, createInvocation(env, ports))
    const found = await ledger.list({ limit, ...(state === undefined ? {} : { state }) })
    return respond({ success: true, flow: name, items: nameDestinations(flow, found) })
  }

  const retry: FetchHandler = async (request, env, context) => {
    if (source.type === 'queue') throw startsByItself(name, source.queue)
    const choice = readInput(retryItems, await readJson(request))
    const invocation = await invoke(env)
    guard.check(invocation)
    checkBindings(flow, env)
    const ledger = await openLedger(flow.id, invocation)
    const reopened = await ledger.reopen({
      ...(choice.items === undefined ? {} : { items: choice.items }),
      ...(choice.all === undefined ? {} : { all: choice.all }),
    })
    if (reopened.length > 0) return start(invocation, context, { byHand: true })
    throw new StewardError('not_found', { what: 'undelivered item', name })
  }

  const webhook: FetchHandler = async (request, env, context) => {
    if (source.type !== 'webhook') throw unknownPath(name, '/webhook')
    const invocation = await invoke(env)
    const { body, challenge } = await acceptWebhook(source, request, invocation)
    if (challenge !== undefined) return respond({ success: true, challenge })
    if (!schedule.enabled) throw new StewardError('flow_disabled', { flow: name })
    checkBindings(flow, env)
    const pending = createPendingCalls(invocation.kv('FLOW_STATE'), flow.id)
    const call = await pending.keep(invocation.runId, body)
    return start(invocation, context, { calls: [call] })
  }

  const hasItems = source.type !== 'feeds'

  const status: FetchHandler = async (_request, env) => {
    const invocation = createInvocation(env, ports)
    const state = (await createFlowStore(invocation.kv('FLOW_STATE'), flow).readState()) ?? null
    const open =
      hasItems && env.ITEMS_DB !== undefined
        ? { open: await (await openLedger(flow.id, invocation)).countOpen() }
        : {}
    return respond({ success: true, flow: name, enabled: schedule.enabled, state, ...open })
  }

  const handlers: Record<string, FetchHandler> = {
    '/trigger': trigger,
    '/status': status,
    ...(hasItems ? { '/items': items, '/retry': retry } : {}),
    ...(source.type === 'webhook' ? { '/webhook': webhook } : {}),
  }

  return {
    fetch: createFetchHandler({
      primitive: 'flow',
      name,
      ports,
      authenticatesItself: isWebhookCall,
      handle: async (request, env, context, path) => {
        if (isRunsPath(path)) return answerRuns(request, env, ports, path)
        const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
        if (handler === undefined) throw unknownPath(name, path)
        const method = METHODS[path] ?? ''
        if (request.method !== method) throw notAllowed(request, `${method} ${path}`)
        if (path !== '/trigger') return handler(request, env, context)
        const keyed = { primitive: 'flow', name, env, ports } as const
        return answerOnce(request, keyed, (once) => handler(once, env, context))
      },
    }),

    scheduled: async ({ scheduledTime }, env) => {
      if (!schedule.enabled) return
      const invocation = createInvocation(env, ports, scheduledTime)
      if (!(await isDue(flow, invocation, scheduledTime))) return
      guard.check(invocation)
      checkBindings(flow, env)
      const { outcome, reason } = await guard.hold(invocation, runFlow(flow, assets, invocation))
      // The platform shows a cron run as failed only if its handler throws.
      if (outcome === 'failed') throw new StewardError('action_failed', { action: name, reason })
    },

    queue: async (batch, env) => {
      if (source.type !== 'queue' || !schedule.enabled) {
        const reason = schedule.enabled ? 'its source is not a queue' : 'it is disabled'
        throw new StewardError('invalid_input', { subject: name, reason })
      }
      checkBindings(flow, env)
      await runFlow(flow, assets, await invoke(env), { batch })
    },
  }
}

/** If cron ticks more often than the schedule, most ticks are skipped. */
const isDue = async (
  flow: FlowEntry,
  invocation: Invocation,
  scheduledTime: number,
): Promise<boolean> => {
  if (edgeCronOf(flow.schedule).exact) return true
  const store = createFlowStore(invocation.kv('FLOW_STATE'), flow)
  const at = new Date(scheduledTime)
  if (!isEdgeDue(flow.schedule, await store.readLastStart(), at)) return false
  await store.writeLastStart(at)
  return true
}

const unknownPath = (flow: string, path: string): StewardError =>
  new StewardError('not_found', { what: 'path', name: path, hint: ` (${flow})` })

const itemsQuery = z.object({
  state: z.enum(ITEM_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

const readJson = async (request: Request): Promise<unknown> => {
  const text = new TextDecoder().decode(await readBytes(request))
  return text === '' ? {} : unwrap(parseJson(text, 'the body', LIMITS.jsonDepth))
}

const readInput = <T>(shape: z.ZodType<T>, given: unknown): T => {
  const parsed = shape.safeParse(given)
  if (parsed.success) return parsed.data
  const reason = describeIssues(issuesOf(parsed.error))
  throw new StewardError('invalid_input', { subject: 'the request', reason })
}

const parseEntry = (entry: unknown): FlowEntry => {
  const parsed = flowEntry.safeParse(entry)
  if (parsed.success) return parsed.data
  throw new StewardError('invalid_definition', {
    file: 'the flow of this worker',
    reason: describeIssues(issuesOf(parsed.error)),
  })
}
