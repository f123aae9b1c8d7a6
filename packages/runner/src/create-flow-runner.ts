import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  destinationsOf,
  type FlowEntry,
  type FlowRunSummary,
  flowRunSummary,
  type RunRecord,
  StewardError,
  sourcesOf,
  toStewardError,
} from '@steward/contract'
import {
  type GivenInput,
  NO_SPEND,
  nameDestinations,
  recordError,
  summarise,
} from '@steward/engine'
import { holdLock } from '@steward/platform'
import type { Catalog, LoadedFlow } from './catalog/index.ts'
import { runFeedsPoll } from './feed-polling/run-feeds-poll.ts'
import { runQueueFlow } from './feed-polling/run-queue-flow.ts'
import { readFlowInput, readWebhookCall, storedInput, withFields } from './flows/flow-input.ts'
import type { FlowPorts, FlowRun } from './flows/flow-run.ts'
import type { FlowOutcome, FlowRunner, TriggerOptions } from './flows/flow-runner.ts'
import { chosenItems, runFlow } from './flows/run-flow.ts'
import { endSourceRun } from './flows/source-run.ts'
import { tryFlow } from './flows/try-flow.ts'
import type { DefinitionSnapshot, ResumableRun } from './history/history.ts'
import { newRunId } from './history/index.ts'
import { currentPlan } from './runner/run-plan.ts'

export const createFlowRunner = (catalog: Catalog, ports: FlowPorts): FlowRunner => {
  const { history, now } = ports

  /** Also a flow whose pipeline is wrong: its run says so and blocks it. */
  const findFlow = (nameOrId: string): LoadedFlow =>
    catalog.flows.all().find(({ flow }) => flow.name === nameOrId || flow.id === nameOrId) ??
    catalog.flows.load(nameOrId)

  const trigger: FlowRunner['trigger'] = async (nameOrId, options = {}) => {
    const loaded = findFlow(nameOrId)
    const { flow } = loaded
    if (!flow.schedule.enabled && !options.force)
      throw new StewardError('flow_disabled', { flow: flow.name })
    const { input } = options
    if (input === undefined || sourcesOf(flow)[0].type === 'webhook') {
      const webhook = await readWebhookCall(flow, options, ports)
      return alone(loaded, () => begin(loaded, options, { webhook }))
    }
    const given = readFlowInput(flow, input, catalog, now())
    return alone(loaded, () => begin(withFields(loaded, given.fields), options, given))
  }

  const retry: FlowRunner['retry'] = async (nameOrId, { items, all }, options = {}) => {
    const loaded = findFlow(nameOrId)
    const { flow } = loaded
    const [{ type }] = sourcesOf(flow)
    if (type === 'queue' || type === 'feeds') {
      const reason = `its source is a ${type}: see its waiting messages in \`steward flows\` or on the dashboard’s Queues`
      throw new StewardError('invalid_input', { subject: flow.name, reason })
    }
    return alone(loaded, async () => {
      const choice = { ...(items === undefined ? {} : { items }), ...(all ? { all } : {}) }
      const only = await ports.ledger(flow.id).reopen(choice)
      const missing = items?.find((id) => !only.includes(id))
      if (missing !== undefined || only.length === 0) {
        const name = missing ?? flow.name
        const hint = ' (steward flows items lists them)'
        throw new StewardError('not_found', { what: 'undelivered item', name, hint })
      }
      return begin(loaded, options, { only })
    })
  }

  /** Begins and does a new run, while no other run of the flow does. */
  const begin = async (
    loaded: LoadedFlow,
    options: TriggerOptions,
    { webhook, only, fields, item }: NewRun,
  ): Promise<FlowOutcome> => {
    const { flow } = loaded
    const runId = newRunId(now())
    const snapshot = await snapshotFlow(flow).catch((thrown: unknown) => toStewardError(thrown))
    const isBlocked = snapshot instanceof StewardError
    const { idempotencyKey } = options
    const begun = await history.begin({
      id: runId,
      primitive: 'flow',
      name: flow.name,
      definition: isBlocked ? definitionOf(flow) : snapshot.definition,
      input: {
        ...(webhook === undefined ? {} : { webhook: webhook.body, delivery: webhook.id }),
        ...(fields === undefined ? {} : { with: fields }),
        ...(item === undefined ? {} : { item }),
      },
      startedAt: now(),
      firstStep: { index: 0, action: 'source', startedAt: now() },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
    if (!begun.created) return settleExisting(begun.run, loaded, options)
    const earlier = undefined
    if (isBlocked) return endBlocked({ runId, loaded, options }, snapshot)
    const { pipelineHash } = snapshot
    return start({ runId, loaded, pipelineHash, webhook, item, only, earlier, options })
  }

  /** A flow whose pipeline cannot be loaded fails before its source is read. */
  const endBlocked = (
    run: Pick<FlowRun, 'runId' | 'loaded' | 'options'>,
    error: StewardError,
  ): Promise<FlowOutcome> => {
    const blocked = recordError(error)
    const { runId } = run
    const times = { startedAt: now(), endedAt: now() }
    const nothing = { found: 0, alreadySeen: 0, postponed: 0, outcomes: [], spend: NO_SPEND }
    const summary = summarise({ runId, ...times, ...nothing, blocked })
    run.options.onProgress?.({ kind: 'note', runId, message: error.message })
    return endSourceRun(run, summary, { error: blocked }, ports)
  }

  /** A run with the same key: continued if its process died, else its result. */
  const settleExisting = (
    record: RunRecord,
    loaded: LoadedFlow,
    options: TriggerOptions,
  ): Promise<FlowOutcome> => {
    if (record.status === 'interrupted') return continueRun(record.id, loaded, options)
    if (record.status === 'running') throw activeRun(record.id)
    const flow = loaded.flow.name
    const summary = storedSummary(record, history.getStored(record.id)?.output)
    return Promise.resolve({ runId: record.id, flow, summary, givenUp: [] })
  }

  const resume: FlowRunner['resume'] = async (runId, options = {}) => {
    const { record } = readResumable(runId)
    const loaded = findFlow(record.name)
    return alone(loaded, () => continueRun(runId, loaded, options))
  }

  const readResumable = (runId: string): ResumableRun => {
    const stored = history.resumable(runId)
    if (stored === undefined) throw new StewardError('not_found', { what: 'run', name: runId })
    const { record } = stored
    const isResumable = record.status !== 'completed' && record.status !== 'running'
    if (!isResumable || record.primitive !== 'flow') {
      throw new StewardError('run_not_resumable', { run: runId, reason: `it is ${record.status}` })
    }
    if (stored.redacted) {
      const reason =
        'a required value contained a secret, and secrets are not stored; trigger the flow again'
      throw new StewardError('run_not_resumable', { run: runId, reason })
    }
    return stored
  }

  /** Continues a stopped run, while no other run of the flow does anything. */
  const continueRun = async (
    runId: string,
    found: LoadedFlow,
    options: TriggerOptions,
  ): Promise<FlowOutcome> => {
    const stored = readResumable(runId)
    const { record } = stored
    const from = record.status === 'interrupted' ? [] : ([{ failed: true }] as const)
    if (!(await history.claim(runId, ...from))) throw activeRun(runId)
    const { webhook: body, delivery, with: fields, item } = storedInput.parse(stored.input)
    const loaded = withFields(found, fields)
    const snapshot = await snapshotFlow(loaded.flow).catch((thrown: unknown) =>
      toStewardError(thrown),
    )
    if (snapshot instanceof StewardError) return endBlocked({ runId, loaded, options }, snapshot)
    const source = stored.finished.find(({ index }) => index === 0)
    const earlier: FlowRun['earlier'] = source && {
      chosen: chosenItems.parse(source.output),
      finished: new Set(
        stored.finished.filter(({ index }) => index > 0).map(({ index }) => index - 1),
      ),
    }
    const webhook = body === undefined ? undefined : { body, id: delivery ?? runId }
    const { pipelineHash } = snapshot
    const only = undefined
    return start({ runId, loaded, pipelineHash, webhook, item, only, earlier, options })
  }

  const start = (run: Omit<FlowRun, 'sources'>): Promise<FlowOutcome> => {
    const { flow } = run.loaded
    const all = sourcesOf(flow)
    const [source] = all
    const what = all.length === 1 ? `source (${source.type})` : `${all.length} sources`
    const message =
      run.item === undefined
        ? `${flow.name}: reading its ${what}`
        : `${flow.name}: working on the given item`
    run.options.onProgress?.({ kind: 'note', runId: run.runId, message })
    if (source.type === 'queue') return runQueueFlow({ ...run, source }, ports)
    // Sources that record themselves what is new are alone.
    const sources = all.filter((each) => each.type !== 'feeds' && each.type !== 'queue')
    if (source.type !== 'feeds') return runFlow({ ...run, sources }, ports)
    // The registry's schema allows no other destination for a feeds source.
    const [destination] = destinationsOf(flow)
    if (destination.type !== 'queue') throw new StewardError('internal', { reason: 'no queue' })
    return runFeedsPoll({ ...run, source, queue: destination.queue }, ports)
  }

  const snapshotFlow = async (
    flow: FlowEntry,
  ): Promise<{ definition: DefinitionSnapshot; pipelineHash: string }> => {
    catalog.flows.load(flow.id)
    if (flow.pipeline === undefined) return { definition: definitionOf(flow), pipelineHash: '' }
    const { definition: pipeline } = await currentPlan(catalog, flow.pipeline)
    return { definition: definitionOf(flow, pipeline), pipelineHash: pipeline.hash }
  }

  /** One run of a flow at a time: two would fetch, pay for and deliver the same items twice. */
  const alone = async <T>({ flow }: LoadedFlow, work: () => Promise<T>): Promise<T> => {
    mkdirSync(ports.locks, { recursive: true })
    const lock = holdLock(join(ports.locks, `flow-${flow.id}`))
    if (lock === undefined) {
      throw new StewardError('run_active', {
        subject: flow.name,
        reason: 'one run of a flow at a time',
      })
    }
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  const items: FlowRunner['items'] = async (nameOrId, { state, limit }) => {
    const { flow } = findFlow(nameOrId)
    const filter = { limit, ...(state === undefined ? {} : { state }) }
    return nameDestinations(flow, await ports.ledger(flow.id).list(filter))
  }

  const attempt: FlowRunner['attempt'] = (nameOrId, { draft, count, signal }) => {
    const loaded = findFlow(nameOrId)
    return tryFlow(draft === undefined ? loaded : { ...loaded, flow: draft }, count, ports, signal)
  }

  return { trigger, items, retry, resume, attempt }
}

interface NewRun extends GivenInput {
  webhook?: FlowRun['webhook']
  only?: readonly string[]
}

const activeRun = (runId: string): StewardError =>
  new StewardError('run_active', {
    subject: `run ${runId}`,
    reason: 'another process took it over',
  })

const storedOutput = flowRunSummary.pick({ outcome: true, reason: true, items: true })
const NO_ITEMS = { found: 0, alreadySeen: 0, delivered: 0, rejected: 0, failed: 0, postponed: 0 }

/** The summary of a run that ended before. */
const storedSummary = (record: RunRecord, output: unknown): FlowRunSummary => {
  const { id: runId, startedAt, spend, error } = record
  const endedAt = record.endedAt ?? startedAt
  const failed = { outcome: 'failed', reason: error?.message ?? record.status, items: NO_ITEMS }
  return flowRunSummary.parse({
    runId,
    startedAt,
    endedAt,
    durationMs: Date.parse(endedAt) - Date.parse(startedAt),
    ...(storedOutput.safeParse(output).data ?? failed),
    errors: error === null ? [] : [{ ...error, item: null }],
    spend,
  })
}

const definitionOf = (flow: FlowEntry, pipeline?: DefinitionSnapshot): DefinitionSnapshot => ({
  version: pipeline?.version ?? '1.0.0',
  hash: createHash('sha256')
    .update(JSON.stringify(flow))
    .update(pipeline?.hash ?? '')
    .digest('hex'),
  body: { flow, ...(pipeline && { pipeline: pipeline.body }) },
})
