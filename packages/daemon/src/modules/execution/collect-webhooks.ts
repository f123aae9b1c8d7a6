import {
  describeIssues,
  type HeldDelivery,
  INBOX_WORKER,
  inboxPage,
  issuesOf,
  parseJson,
  reasonOf,
  StewardError,
  sourcesOf,
  unwrap,
  workerName,
} from '@steward/contract'
import { type EdgePlace, findEdgeWorker, type StartTimer } from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'
import type { Log } from '../../log/log.ts'

interface Ports {
  runtime: () => LocalRuntime
  /** Resolves when the call is on disk, whether it is new or was there before. */
  keep: (delivery: HeldDelivery) => Promise<void>
  fetch: typeof fetch
  log: Log
  setTimer: StartTimer
}

export interface WebhookCollector {
  start: () => void
  stop: () => Promise<void>
}

const EVERY_MS = 10_000
const LONGEST_WAIT_MS = 5 * 60_000
const ANSWER_MS = 20_000

/**
 * Collects the calls that the user's own worker accepted, so that no port has to be open here. A
 * call is acknowledged when it is on disk. After a kill in between it comes again, and its delivery
 * id shows that it is known.
 */
export const createWebhookCollector = (ports: Ports): WebhookCollector => {
  const { runtime, log, setTimer } = ports
  const stopping = new AbortController()
  let stopTimer: (() => void) | undefined
  let collecting: Promise<void> = Promise.resolve()
  let failures = 0
  /** The last failure that was logged, so that a long one fills no log. */
  let told = ''

  const collectAll = async (): Promise<void> => {
    const flows = collectedFlows(runtime())
    if (flows.length === 0) return
    for (const inbox of await findInboxes(runtime())) {
      while (!stopping.signal.aborted && (await collect(inbox, flows)) > 0);
    }
  }

  const collect = async (inbox: EdgePlace, flows: readonly string[]): Promise<number> => {
    const query = new URLSearchParams(flows.map((flow) => ['flow', flow]))
    const page = inboxPage.safeParse(await ask(inbox, `/inbox?${query}`))
    if (!page.success) throw unreadable(inbox, describeIssues(issuesOf(page.error)))
    const { deliveries } = page.data
    for (const delivery of deliveries) await ports.keep(delivery)
    const receipt = deliveries.map(({ flow, id }) => ({ flow, id }))
    if (receipt.length > 0) await ask(inbox, '/inbox/ack', { deliveries: receipt })
    return receipt.length
  }

  const ask = async (inbox: EdgePlace, path: string, body?: object): Promise<unknown> => {
    const response = await ports.fetch(`${inbox.url.replace(/\/$/, '')}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${inbox.token}`, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_MS)]),
    })
    const text = await response.text()
    if (!response.ok) throw unreadable(inbox, `HTTP ${response.status}: ${text.slice(0, 200)}`)
    return unwrap(parseJson(text, 'the answer of the webhook inbox'))
  }

  const next = (): void => {
    collecting = collectAll()
      .then(() => {
        if (failures > 0) log.info('webhooks: the inbox on the edge answers again')
        failures = 0
        told = ''
      })
      .catch((thrown: unknown) => {
        if (stopping.signal.aborted) return
        failures += 1
        const reason = reasonOf(thrown)
        if (reason !== told) log.warn(`webhooks: cannot collect calls from the edge: ${reason}`)
        told = reason
      })
      .then(() => {
        const waitMs = Math.min(EVERY_MS * 2 ** failures, LONGEST_WAIT_MS)
        if (!stopping.signal.aborted) stopTimer = setTimer(waitMs, next)
      })
  }

  return {
    start: next,
    stop: async () => {
      stopping.abort()
      stopTimer?.()
      await collecting
    },
  }
}

/** Ids of the flows that run here when the edge receives a call for them. */
const collectedFlows = ({ catalog }: LocalRuntime): string[] =>
  catalog.flows.all().flatMap(({ flow }) => {
    const { id, schedule } = flow
    const [{ type }] = sourcesOf(flow)
    return type === 'webhook' && schedule.runsOn === 'here' && schedule.enabled ? [id] : []
  })

const findInboxes = ({ home, settings, environment }: LocalRuntime): Promise<EdgePlace[]> =>
  findEdgeWorker(workerName(INBOX_WORKER), { home, edge: settings.edge, environment })

const unreadable = ({ url }: EdgePlace, reason: string): StewardError =>
  new StewardError('upstream_failed', { service: `the webhook inbox at ${url}`, reason })
