import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FlowEntry, StewardError } from '@steward/contract'
import { openWebhook } from '@steward/engine'
import { holdLock } from '@steward/platform'
import { z } from 'zod'
import type { Catalog, LoadedFlow } from './catalog/index.ts'
import { runFeedsPoll } from './feed-polling/run-feeds-poll.ts'
import { runQueueFlow } from './feed-polling/run-queue-flow.ts'
import type { FlowPorts, FlowRun } from './flows/flow-run.ts'
import type { FlowOutcome, FlowRunner, TriggerOptions } from './flows/flow-runner.ts'
import { chosenItems, runFlow } from './flows/run-flow.ts'
import type { DefinitionSnapshot } from './history/history.ts'
import { newRunId } from './history/index.ts'
import { currentPlan } from './runner/run-plan.ts'

const webhookInput = z.looseObject({ webhook: z.string().optional() })

export const createFlowRunner = (catalog: Catalog, ports: FlowPorts): FlowRunner => {
  const { history, now } = ports

  const trigger: FlowRunner['trigger'] = async (nameOrId, options = {}) => {
    const loaded = catalog.flows.load(nameOrId)
    const { flow } = loaded
    if (!flow.schedule.enabled && !options.force)
      throw new StewardError('flow_disabled', { flow: flow.name })
    const webhookBody = await readWebhookCall(loaded, options)
    // A flow whose pipeline cannot be loaded fails before its source is read.
    const definition = await snapshotFlow(flow)
    return alone(loaded, async () => {
      const runId = newRunId(now())
      await history.begin({
        id: runId,
        primitive: 'flow',
        name: flow.name,
        definition,
        input: webhookBody === undefined ? {} : { webhook: webhookBody },
        startedAt: now(),
        firstStep: { index: 0, action: 'source', startedAt: now() },
      })
      return start({ runId, loaded, webhookBody, earlier: undefined, options })
    })
  }

  const resume: FlowRunner['resume'] = async (runId, options = {}) => {
    const stored = history.resumable(runId)
    if (stored === undefined) throw new StewardError('not_found', { what: 'run', name: runId })
    const { record } = stored
    if (record.status !== 'interrupted' || record.primitive !== 'flow') {
      throw new StewardError('run_not_resumable', { run: runId, reason: `it is ${record.status}` })
    }
    if (stored.redacted) {
      const reason =
        'a required value contained a secret, and secrets are not stored; trigger the flow again'
      throw new StewardError('run_not_resumable', { run: runId, reason })
    }
    const loaded = catalog.flows.load(record.name)
    return alone(loaded, async () => {
      if (!(await history.claim(runId))) {
        throw new StewardError('run_active', {
          subject: `run ${runId}`,
          reason: 'another process took it over',
        })
      }
      const source = stored.finished.find(({ index }) => index === 0)
      const earlier: FlowRun['earlier'] = source && {
        chosen: chosenItems.parse(source.output),
        finished: new Set(
          stored.finished.filter(({ index }) => index > 0).map(({ index }) => index - 1),
        ),
      }
      const { webhook } = webhookInput.parse(stored.input)
      return start({ runId, loaded, webhookBody: webhook, earlier, options })
    })
  }

  const start = (run: Omit<FlowRun, 'source'>): Promise<FlowOutcome> => {
    const { name, source, destination } = run.loaded.flow
    const message = `${name}: reading its source (${source.type})`
    run.options.onProgress?.({ kind: 'note', runId: run.runId, message })
    if (source.type === 'queue') return runQueueFlow({ ...run, source }, ports)
    if (source.type !== 'feeds') return runFlow({ ...run, source }, ports)
    // The registry's schema allows no other destination for a feeds source.
    if (destination.type !== 'queue') throw new StewardError('internal', { reason: 'no queue' })
    return runFeedsPoll({ ...run, source, queue: destination.queue }, ports)
  }

  const snapshotFlow = async (flow: FlowEntry): Promise<DefinitionSnapshot> => {
    const pipeline =
      flow.pipeline === undefined
        ? undefined
        : (await currentPlan(catalog, flow.pipeline)).definition
    const hash = createHash('sha256')
      .update(JSON.stringify(flow))
      .update(pipeline?.hash ?? '')
      .digest('hex')
    return {
      version: pipeline?.version ?? '1.0.0',
      hash,
      body: { flow, ...(pipeline && { pipeline: pipeline.body }) },
    }
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

  const readWebhookCall = async (
    { flow }: LoadedFlow,
    { webhook }: TriggerOptions,
  ): Promise<string | undefined> => {
    if (flow.source.type !== 'webhook') return undefined
    if (webhook === undefined) {
      throw new StewardError('invalid_input', {
        subject: flow.name,
        reason: 'its source is a webhook: give the body it was called with, and its signature',
        field: 'body',
      })
    }
    return openWebhook(flow.source, webhook, ports.secret)
  }

  return { trigger, resume }
}
