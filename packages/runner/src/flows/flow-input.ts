import {
  describeIssues,
  type FlowEntry,
  type JsonObject,
  StewardError,
  sourcesOf,
} from '@steward/contract'
import { checkWebhookBody, checkWith, openWebhook } from '@steward/engine'
import { z } from 'zod'
import type { Catalog, LoadedFlow } from '../catalog/index.ts'
import { newRunId } from '../history/index.ts'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import type { TriggerOptions } from './flow-runner.ts'

/** What the record of a run keeps, so that it can be resumed. */
export const storedInput = z.looseObject({
  /** Given by `trigger --input`. */
  with: z.record(z.string(), z.unknown()).optional(),
  webhook: z.string().optional(),
  /** Runs of earlier versions have none. */
  delivery: z.string().optional(),
})

/** Refuses fields that the pipeline does not take, before anything is read. */
export const checkInput = (
  { name, pipeline }: FlowEntry,
  input: JsonObject,
  catalog: Pick<Catalog, 'pipelines'>,
): void => {
  if (pipeline === undefined) {
    const reason = 'it has no pipeline that takes input'
    throw new StewardError('invalid_input', { subject: name, reason, field: 'input' })
  }
  const { definition } = catalog.pipelines.load(pipeline)
  const issues = checkWith(input, definition.input, 'input')
  if (issues.length === 0) return
  const reason = describeIssues(issues)
  throw new StewardError('invalid_input', { subject: name, reason, field: 'input' })
}

/** The flow with other fields for its pipeline, in this run only. */
export const withInput = (loaded: LoadedFlow, input: JsonObject): LoadedFlow => ({
  ...loaded,
  flow: { ...loaded.flow, with: { ...loaded.flow.with, ...input } },
})

/** The call to work on; undefined for another source, or if earlier calls are to be continued. */
export const readWebhookCall = async (
  flow: FlowEntry,
  { webhook, isScheduled, input }: TriggerOptions,
  { now, secret }: Pick<FlowPorts, 'now' | 'secret'>,
): Promise<FlowRun['webhook']> => {
  const [source] = sourcesOf(flow)
  if (source.type !== 'webhook') return undefined
  if (input !== undefined) {
    const body = JSON.stringify(input)
    checkWebhookBody(source, body)
    return { body, id: `trigger-${newRunId(now())}` }
  }
  if (webhook === undefined) {
    // Works on items of earlier calls again.
    if (isScheduled) return undefined
    throw new StewardError('invalid_input', {
      subject: flow.name,
      reason:
        'its source is a webhook: give an item with --input, or --body and --signature of a call',
      field: 'body',
    })
  }
  if ('id' in webhook) return webhook
  return openWebhook(source, { ...webhook, nowMs: now() }, secret)
}
