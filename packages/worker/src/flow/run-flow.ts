import {
  type FlowEntry,
  type FlowRunSummary,
  type FlowSource,
  flowRunSummary,
  StewardError,
  sourcesOf,
  toStewardError,
} from '@steward/contract'
import {
  type FlowItem,
  type GivenInput,
  isWebAddress,
  itemsOfDocument,
  itemsOfFeed,
  NO_SPEND,
  type ReadSources,
  type RememberingPorts,
  readApi,
  readFeed,
  readPage,
  readPageFrom,
  readSources,
  readWebhook,
  recordError,
  type SourceOf,
  summarise,
  type WebSourcePorts,
} from '@steward/engine'
import { redactorOf } from '../redact.ts'
import { recordFlowRun } from '../runs/record-run.ts'
import { writeLog } from '../write-log.ts'
import { type FlowAssets, filesAt } from './assets.ts'
import { staysHere } from './check-bindings.ts'
import { consumeQueue, type QueueBatch } from './consume-queue.ts'
import { createFlowStore } from './flow-store.ts'
import type { Invocation } from './invocation.ts'
import { notifyOfRun } from './notify-of-run.ts'
import { encodeItem } from './open-ledger.ts'
import { createPendingCalls, type PendingCall } from './pending-calls.ts'
import { pollFeedsFlow } from './poll-feeds-flow.ts'
import { runItemsFlow } from './run-items-flow.ts'

/** Input of a run that does not read a polled source. */
export interface RunInput extends GivenInput {
  /** Webhook bodies to process; all pending ones by default. */
  calls?: PendingCall[]
  batch?: QueueBatch
  /** A person started it, so items are tried before their planned time. */
  byHand?: true
}

/** Runs a flow once and records the result in the flow's state and in the log. */
export const runFlow = async (
  flow: FlowEntry,
  assets: FlowAssets,
  invocation: Invocation,
  input: RunInput = {},
): Promise<FlowRunSummary> => {
  const { env, ports, runId, startedAt, now } = invocation
  const store = createFlowStore(invocation.kv('FLOW_STATE'), flow)
  let broken: StewardError | undefined
  const summary = await runSource(flow, assets, invocation, input).catch((thrown: unknown) => {
    broken = toStewardError(thrown)
    const sourceErrors = [{ ...recordError(broken), item: null }]
    const nothing = { found: 0, alreadySeen: 0, postponed: 0, outcomes: [], spend: NO_SPEND }
    return summarise({ runId, startedAt, endedAt: now(), ...nothing, sourceErrors })
  })
  const { value, found } = redactorOf(env).redact(summary)
  const clean = found.length === 0 ? summary : flowRunSummary.parse(value)
  const { outcome, reason, items, spend } = clean
  const level = outcome === 'failed' ? 'error' : 'info'
  // Its texts are redacted already.
  ports.log(
    JSON.stringify({ level, flow: flow.name, run_id: runId, outcome, reason, items, spend }),
  )
  const before = await store.recordRun(clean)
  await recordFlowRun(flow.name, clean, invocation).catch((thrown: unknown) => {
    writeLog(ports, env, { flow: flow.name, run_id: runId, error: toStewardError(thrown) })
  })
  await notifyOfRun(flow, clean, before, invocation).catch((thrown: unknown) => {
    writeLog(ports, env, { flow: flow.name, run_id: runId, error: toStewardError(thrown) })
  })
  if (broken !== undefined) throw broken
  return clean
}

const runSource = async (
  registered: FlowEntry,
  assets: FlowAssets,
  invocation: Invocation,
  { calls, batch, byHand, fields, item }: RunInput,
): Promise<FlowRunSummary> => {
  const flow =
    fields === undefined ? registered : { ...registered, with: { ...registered.with, ...fields } }
  const sources = sourcesOf(flow)
  const [source] = sources
  const timing = { isScheduled: byHand !== true, ...(item === undefined ? {} : { only: item.id }) }
  switch (source.type) {
    case 'feeds':
      return pollFeedsFlow(flow, source, assets, invocation)
    case 'webhook':
      return runWebhookFlow(flow, source, invocation, calls, timing)
    case 'queue':
      if (batch !== undefined) return consumeQueue(flow, batch, invocation)
      throw startsByItself(flow.name, source.queue)
    default: {
      const store = createFlowStore(invocation.kv('FLOW_STATE'), flow)
      const asked = sources.filter(isAsked)
      const read = async (ports: Omit<RememberingPorts, 'report'>): Promise<ReadSources> =>
        item !== undefined
          ? { items: [item], errors: [], isRead: true }
          : readSources(asked, (each, report) =>
              readSource(each, assets, { ...invocation, ...ports, report }),
            )
      return runItemsFlow(flow, read, invocation, store, timing)
    }
  }
}

/** A flow with a queue source cannot be triggered: its messages start it. */
export const startsByItself = (flow: string, queue: string): StewardError =>
  new StewardError('invalid_input', {
    subject: flow,
    reason: `its source is the queue ${queue}: it runs when messages arrive`,
  })

const runWebhookFlow = async (
  flow: FlowEntry,
  source: SourceOf<'webhook'>,
  invocation: Invocation,
  given: PendingCall[] | undefined,
  timing: { isScheduled: boolean },
): Promise<FlowRunSummary> => {
  const kv = invocation.kv('FLOW_STATE')
  const pending = createPendingCalls(kv, flow.id)
  const calls = given ?? (await pending.list())
  const read = () =>
    readSources([source], async () => calls.flatMap(({ body }) => readWebhook(source, body)))
  const summary = await runItemsFlow(flow, read, invocation, createFlowStore(kv, flow), timing)
  const { failed, waiting, postponed } = summary.items
  const isSettled = failed + waiting + postponed === 0
  for (const call of calls) {
    // The ledger has the items now, unless one cannot be stored there.
    const isStored = readWebhook(source, call.body).every(
      ({ payload }) => encodeItem(payload, invocation) !== null,
    )
    if (isSettled || isStored) await pending.drop(call)
  }
  return summary
}

/** Sources that are polled; webhooks, queues and lists of feeds arrive in other ways. */
type AskedSource = Exclude<FlowSource, { type: 'feeds' | 'queue' | 'webhook' }>

const isAsked = (source: FlowSource): source is AskedSource =>
  source.type !== 'feeds' && source.type !== 'queue' && source.type !== 'webhook'

/** The current items of the source, in order. */
const readSource = async (
  source: AskedSource,
  assets: FlowAssets,
  ports: WebSourcePorts,
): Promise<FlowItem[]> => {
  switch (source.type) {
    case 'api':
      return readApi(source, ports)
    case 'page':
      return readAnyPage(source, assets, ports)
    case 'rss':
      if (isWebAddress(source.url)) return readFeed(source, ports)
      return inlined(assets, source.url).flatMap(([, text]) =>
        itemsOfFeed(text, { url: source.url }),
      )
    case 'file':
      return inlined(assets, source.path).flatMap(([path, text]) =>
        itemsOfDocument(path, text, source.format),
      )
    case 'folder':
    case 'mailbox':
    case 'command':
    case 'usage':
      throw staysHere(`the ${source.type} source`)
  }
}

const readAnyPage = async (
  source: SourceOf<'page'>,
  assets: FlowAssets,
  ports: WebSourcePorts,
): Promise<FlowItem[]> => {
  if (isWebAddress(source.url)) return readPage(source, ports)
  const [file] = inlined(assets, source.url)
  return file === undefined ? [] : readPageFrom(source, file[1], ports)
}

const inlined = (assets: FlowAssets, path: string): [string, string][] => {
  const found = filesAt(assets, path)
  if (found.length > 0) return found
  throw new StewardError('upstream_failed', {
    service: path,
    reason: 'the worker was built without this file; run `steward edge build` again',
  })
}
