import {
  type HeldDelivery,
  reasonOf,
  StewardError,
  sourcesOf,
  toStewardError,
} from '@steward/contract'
import {
  checkWebhookBody,
  openWebhook,
  type SignedRequest,
  type WebhookDelivery,
} from '@steward/engine'
import type { StartTimer } from '@steward/platform'
import type { FlowOutcome, LoadedFlow } from '@steward/runner'
import type { Log } from '../../log/log.ts'
import type { Notices } from '../../ports.ts'
import type { LiveRuns } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { StoredDelivery, WebhookInbox } from './webhook-inbox.ts'

interface Ports {
  inbox: () => WebhookInbox
  stewards: OpenRuntime
  live: LiveRuns
  notices: Notices
  log: Log
  now: () => number
  setTimer: StartTimer
}

export interface Webhooks {
  /** Resolves when the call is on disk; its flow runs afterwards. */
  receive: (
    flow: string,
    request: SignedRequest,
  ) => Promise<{ delivery: string; repeated: boolean } | { challenge: string }>
  /** The same for a call that the user's own worker has verified. */
  keep: (delivery: HeldDelivery) => Promise<void>
  find: (flow: string, delivery: string) => StoredDelivery
  /** Runs the flows of calls that an earlier process accepted. */
  start: () => void
  stop: () => Promise<void>
}

/** After a run that could not begin, for example while the flow runs already. */
const TRY_AGAIN_MS = 5000
/** After a run that was blocked by the configuration. */
const BLOCKED_MS = 60_000

/** Receives signed calls and runs their flows, one call of a flow at a time, in order. */
export const createWebhooks = (ports: Ports): Webhooks => {
  const { inbox, stewards, live, notices, log, now, setTimer } = ports
  let stopTimer: (() => void) | undefined
  let isStopping = false
  let drained: Promise<void> = Promise.resolve()
  let isDraining = false

  const findFlow = (name: string): LoadedFlow => {
    const hooked = stewards
      .current()
      .catalog.flows.all()
      .filter(({ flow }) => sourcesOf(flow)[0].type === 'webhook')
    const found = hooked.find(({ flow }) => flow.name === name || flow.id === name)
    if (found !== undefined) return found
    // The caller is untrusted, so that other flows are not named.
    throw new StewardError('not_found', { what: 'webhook', name: name.slice(0, 100) })
  }

  const receive: Webhooks['receive'] = async (name, request) => {
    const { flow } = findFlow(name)
    const [source] = sourcesOf(flow)
    if (source.type !== 'webhook') throw new StewardError('not_found', { what: 'webhook', name })
    const { environment } = stewards.current()
    const secret = (key: string) => environment[key]
    const delivery = await open(source, request, secret)
    if (delivery.challenge !== undefined) return { challenge: delivery.challenge }
    if (!flow.schedule.enabled) throw new StewardError('flow_disabled', { flow: flow.name })
    checkWebhookBody(source, delivery.body)
    const outcome = await inbox().accept(flow.id, delivery, now())
    if (outcome === 'replayed') {
      const reason = 'it was accepted before under another delivery id'
      throw new StewardError('signature_invalid', { reason })
    }
    if (outcome === 'accepted') wake()
    return { delivery: delivery.id, repeated: outcome === 'repeated' }
  }

  const open = async (
    source: Parameters<typeof openWebhook>[0],
    request: SignedRequest,
    secret: (key: string) => string | undefined,
  ): Promise<WebhookDelivery> => {
    try {
      return await openWebhook(source, { ...request, nowMs: now() }, secret)
    } catch (thrown) {
      const error = toStewardError(thrown)
      if (error.code !== 'not_configured') throw error
      // Until the signature is verified, the answer reveals nothing about the configuration.
      log.error(`webhooks: ${error.message}`)
      throw new StewardError('signature_invalid', { reason: 'it cannot be checked' }, error)
    }
  }

  const wake = (): void => {
    if (isDraining || isStopping) return
    isDraining = true
    stopTimer?.()
    drained = drain()
      .catch((thrown: unknown) => {
        log.error(`webhooks: ${reasonOf(thrown)}`)
        return BLOCKED_MS
      })
      .then((waitMs) => {
        isDraining = false
        if (waitMs !== undefined && !isStopping) stopTimer = setTimer(waitMs, wake)
      })
  }

  /** Returns how long to wait before the rest is tried again; undefined if nothing waits. */
  const drain = async (): Promise<number | undefined> => {
    const delayed = new Map<string, number>()
    while (!isStopping) {
      const next = inbox()
        .waiting()
        .find(({ flow }) => !delayed.has(flow))
      if (next === undefined) break
      const waitMs = await run(next)
      if (waitMs !== undefined) delayed.set(next.flow, waitMs)
    }
    return delayed.size === 0 ? undefined : Math.min(...delayed.values())
  }

  const run = async (stored: StoredDelivery): Promise<number | undefined> => {
    const { flow, id } = stored
    try {
      const { runId, summary } = await trigger(stored)
      // A blocked flow has not read its source, so that the call is still needed.
      if (summary.outcome === 'failed' && summary.items.found === 0) {
        await inbox().postpone(stored)
        return BLOCKED_MS
      }
      await inbox().end(stored, { run: runId, detail: summary.reason, atMs: now() })
      return undefined
    } catch (thrown) {
      const { code, message } = toStewardError(thrown)
      if (code === 'run_active') return TRY_AGAIN_MS
      if (!isStopping) log.warn(`webhooks: delivery ${id} of ${flow}: ${message}`)
      if (code === 'run_not_resumable') await inbox().postpone(stored)
      return BLOCKED_MS
    }
  }

  const trigger = async ({ flow, id, body, attempts }: StoredDelivery): Promise<FlowOutcome> => {
    const started = await live.start((watching) =>
      stewards.use(({ flows, ...steward }) =>
        flows.trigger(flow, {
          ...watching,
          webhook: { id, body: body ?? '' },
          idempotencyKey: `webhook:${flow}:${attempts}:${id}`,
          // Accepted before the flow was disabled.
          force: true,
          isScheduled: true,
          onEnding: notifyRunEnded(steward, notices),
        }),
      ),
    )
    return started.outcome
  }

  return {
    receive,
    keep: async ({ flow, id, body, fingerprint, receivedAt }) => {
      const delivery = { id, body, ...(fingerprint === null ? {} : { fingerprint }) }
      const outcome = await inbox().accept(flow, delivery, Date.parse(receivedAt))
      if (outcome === 'accepted') wake()
    },
    find: (name, id) => {
      const { flow } = findFlow(name)
      const found = inbox().find(flow.id, id)
      if (found !== undefined) return found
      throw new StewardError('not_found', { what: 'delivery', name: id })
    },
    start: wake,
    stop: async () => {
      isStopping = true
      stopTimer?.()
      await drained
    },
  }
}
