import { API, type EdgeFlow, type FeedStatus } from '@steward/contract'
import type { RedactRecords } from '@steward/platform'
import { type ExaminedFeed, examineFeeds, type Feeds } from '@steward/runner'
import { handle } from '../../module.ts'
import type { Notices } from '../../ports.ts'
import { describeCatalog } from './describe-catalog.ts'
import { createEdgeFlows } from './edge-flows.ts'
import { listQueues, retryDeadLetters } from './list-queues.ts'
import type { LiveRuns } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import type { OpenRuntime } from './open-runtime.ts'
import { readFlowStates } from './read-flow-states.ts'
import type { Webhooks } from './webhooks.ts'

export interface FlowRoutePorts {
  stewards: OpenRuntime
  live: LiveRuns
  webhooks: Webhooks
  notices: Notices
  now: () => number
  tellPages: () => void
  redactRecords: RedactRecords
  fetch: typeof fetch
}

/** The catalog, flows with their items and webhooks, feeds and queues. */
export const flowRouteHandlers = ({
  stewards,
  live,
  webhooks,
  notices,
  now,
  tellPages,
  redactRecords,
  fetch,
}: FlowRoutePorts) => {
  const edge = createEdgeFlows({ runtime: stewards.current, fetch })
  const hide = (text: string): string => stewards.current().redactor.redactText(text).value
  const hideReasons = (flow: EdgeFlow): EdgeFlow => ({
    ...flow,
    blocked: flow.blocked && { ...flow.blocked, reason: hide(flow.blocked.reason) },
    problem: flow.problem && hide(flow.problem),
  })
  const flowEntries = () =>
    stewards
      .current()
      .catalog.flows.all()
      .map(({ flow }) => flow)
  return [
    handle(API.listPrimitives, () => {
      const { catalog, redactor } = stewards.current()
      return describeCatalog(catalog, (text) => redactor.redactText(text).value)
    }),
    handle(API.getFlowStates, ({ query }) => readFlowStates(stewards.current(), query.days, now())),
    handle(API.receiveWebhook, async ({ params, body }, { header }) => {
      const answer = await webhooks.receive(params.flow, { body: bytesIn(body), header })
      return 'challenge' in answer
        ? Response.json(answer, { status: 200 })
        : { success: true as const, ...answer }
    }),
    handle(API.getDelivery, ({ params }) => {
      const { flow, id, received_ms, state, run, detail } = webhooks.find(params.flow, params.id)
      return { flow, id, receivedAt: new Date(received_ms).toISOString(), state, run, detail }
    }),
    handle(API.listFlowItems, async ({ params, query }) => {
      const { flows } = stewards.current()
      const items = await (query.edge === undefined ? flows : edge).items(params.flow, query)
      return {
        items: items.map((item) => ({
          ...item,
          title: item.title && hide(item.title),
          error: item.error && hide(item.error),
        })),
      }
    }),
    handle(API.listEdgeFlows, async () => {
      const { running, flows } = await edge.list()
      return { running, flows: flows.map(hideReasons) }
    }),
    handle(API.retryFlowItems, async ({ params, query, body }) => {
      if (query.edge !== undefined) return { id: await edge.retry(params.flow, body) }
      const { id } = await live.start((watching) =>
        stewards.use(({ flows, ...steward }) =>
          flows.retry(params.flow, body, {
            ...watching,
            onEnding: notifyRunEnded(steward, notices),
          }),
        ),
      )
      return { id }
    }),
    handle(API.listFeeds, () => listFeeds(stewards.current().feeds)),
    handle(API.listQueues, () => {
      const { feeds, redactor } = stewards.current()
      return listQueues(flowEntries(), feeds.inventory(), (bodies) =>
        redactRecords(bodies, redactor),
      )
    }),
    handle(API.retryDeadLetters, async ({ params }) => {
      const inventory = stewards.current().feeds.inventory()
      const moved = await retryDeadLetters(params.queue, flowEntries(), inventory)
      tellPages()
      return moved
    }),
  ]
}

const bytesIn = (body: unknown): Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array ? Uint8Array.from(body) : new Uint8Array()

/** The subscribed feeds, those with problems first. */
const listFeeds = async (feeds: Feeds): Promise<{ feeds: FeedStatus[] }> => {
  const statuses = (await examineFeeds(feeds)).map(toStatus)
  return { feeds: statuses.toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

const RANKS = ['skipped', 'failing', 'unchecked', 'ok', 'off']
const rankOf = ({ health }: FeedStatus): number => RANKS.indexOf(health)

const toStatus = ({ feed, health, record }: ExaminedFeed): FeedStatus => ({
  url: feed.url,
  title: feed.title ?? record?.title ?? null,
  health,
  errorClass: record?.last_class ?? null,
  errorCount: record?.error_count ?? 0,
  lastError: record?.last_error ?? null,
  lastSuccessAt: record?.last_success_at ?? null,
  nextCheckAt: record?.next_check_at ?? null,
  tier: record?.last_tier ?? null,
})
