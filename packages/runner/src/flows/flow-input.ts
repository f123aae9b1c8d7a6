import { type FlowEntry, type JsonObject, StewardError, sourcesOf } from '@steward/contract'
import { checkWebhookBody, type GivenInput, openWebhook, readGiven, takenBy } from '@steward/engine'
import { z } from 'zod'
import type { Catalog, LoadedFlow } from '../catalog/index.ts'
import { newRunId } from '../history/index.ts'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import type { TriggerOptions } from './flow-runner.ts'

/** An item as the record of a run keeps it. */
export const flowItem = z.object({
  id: z.string(),
  title: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
})

/** What the record of a run keeps, so that it can be resumed. */
export const storedInput = z.looseObject({
  /** Given by `trigger --input`. */
  with: z.record(z.string(), z.unknown()).optional(),
  item: flowItem.optional(),
  webhook: z.string().optional(),
  /** Runs of earlier versions have none. */
  delivery: z.string().optional(),
})

/** What `--input` means for a flow whose source is not a webhook. */
export const readFlowInput = (
  flow: FlowEntry,
  input: JsonObject,
  { pipelines, actions }: Pick<Catalog, 'pipelines' | 'actions'>,
  now: number,
): GivenInput => {
  const taken =
    flow.pipeline === undefined
      ? { read: [] }
      : takenBy(pipelines.load(flow.pipeline).definition, (name) => actions.read(name).manifest)
  return readGiven(flow, input, taken, () => `input-${newRunId(now)}`)
}

/** The flow with other fields for its pipeline, in this run only. */
export const withFields = (loaded: LoadedFlow, fields: JsonObject | undefined): LoadedFlow =>
  fields === undefined
    ? loaded
    : { ...loaded, flow: { ...loaded.flow, with: { ...loaded.flow.with, ...fields } } }

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
