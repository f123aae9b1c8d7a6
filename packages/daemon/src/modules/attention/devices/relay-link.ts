import {
  parseJson,
  RELAY_LIMITS,
  type RelayPage,
  reasonOf,
  relayPage,
  StewardError,
  unwrap,
} from '@steward/contract'
import type { EdgePlace, StartTimer } from '@steward/platform'
import type { Log } from '../../../log/log.ts'

export type HeldFrame = RelayPage['frames'][number]

export interface RelayLink {
  /** Tells the relay which devices there are, and then follows it; resolves when the relay knows. */
  connect: () => Promise<void>
  /** The relay that is in use; throws if there is none. */
  find: () => Promise<EdgePlace>
  /** Posts to the relay. */
  post: (path: string, body: object) => Promise<unknown>
  stop: () => Promise<void>
  fault: () => string | undefined
}

interface RelayLinkPorts {
  /** The relay that is in use; undefined if there is none. */
  find: () => Promise<EdgePlace | undefined>
  /** Devices that may use the relay. */
  devices: () => Promise<{ id: string; access: string }[]>
  /** Handles a frame; `isFirst`: the daemon may have handled it before it was restarted. */
  take: (held: HeldFrame, isFirst: boolean) => Promise<void>
  fetch: typeof fetch
  setTimer: StartTimer
  log: Log
}

const RETRY_MS = { first: 1000, most: 60_000 }
const ANSWER_MS = 15_000

/**
 * The connection to the relay. It goes outward only, so that no port is opened here. Frames are
 * confirmed after they were handled; after a kill they come again.
 */
export const createRelayLink = (ports: RelayLinkPorts): RelayLink => {
  const { take, fetch, setTimer, log } = ports
  let following: AbortController | undefined
  let running: Promise<void> = Promise.resolve()
  let cancelRetry = (): void => undefined
  let fault: string | undefined
  /** The last handled frame, by relay. */
  const handled = new Map<string, number>()

  const ask = async (
    { url, token }: EdgePlace,
    path: string,
    body: object,
    signals: AbortSignal[],
  ): Promise<unknown> => {
    const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any(signals),
    })
    const text = await response.text()
    if (!response.ok) {
      const reason = `HTTP ${response.status}: ${text.slice(0, 200)}`
      throw new StewardError('upstream_failed', { service: `the relay at ${url}`, reason })
    }
    return unwrap(parseJson(text, 'the answer of the relay'))
  }

  const findRelay = async (): Promise<EdgePlace> => {
    const relay = await ports.find()
    if (relay !== undefined) return relay
    const reason =
      'no relay is deployed, or AUTH_TOKEN is not set: set edge.relay to true, run `steward edge build` and `steward deploy relay`'
    throw new StewardError('not_configured', { subject: 'the relay', reason })
  }

  const follow = async (relay: EdgePlace, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const known = handled.get(relay.url)
      const body = { ack: known ?? 0, waitMs: RELAY_LIMITS.waitMs }
      const limit = AbortSignal.timeout(RELAY_LIMITS.waitMs + ANSWER_MS)
      const page = relayPage.parse(await ask(relay, '/relay/poll', body, [signal, limit]))
      fault = undefined
      for (const held of page.frames) {
        if (signal.aborted) return
        await take(held, known === undefined)
        handled.set(relay.url, held.seq)
      }
      if (known === undefined && page.frames.length === 0) handled.set(relay.url, 0)
    }
  }

  const connect = async (delayMs: number = RETRY_MS.first): Promise<void> => {
    following?.abort()
    cancelRetry()
    const controller = new AbortController()
    following = controller
    const again = (thrown: unknown): void => {
      if (controller.signal.aborted) return
      const reason = reasonOf(thrown)
      if (fault !== reason) log.warn(`attention: the relay cannot be used: ${reason}`)
      fault = reason
      const nextMs = Math.min(delayMs * 2, RETRY_MS.most)
      cancelRetry = setTimer(delayMs, () => void connect(nextMs).catch(() => undefined))
    }
    try {
      const devices = await ports.devices()
      const relay = await findRelay()
      const limit = AbortSignal.timeout(ANSWER_MS)
      await ask(relay, '/relay/devices', { devices }, [controller.signal, limit])
      fault = undefined
      // The last connection handles its frame first: two at a time would confuse the counters.
      await running
      if (devices.length > 0 && !controller.signal.aborted)
        running = follow(relay, controller.signal).catch(again)
    } catch (thrown) {
      again(thrown)
      throw thrown
    }
  }

  return {
    connect: () => connect(),
    find: findRelay,
    post: async (path, body) =>
      ask(await findRelay(), path, body, [AbortSignal.timeout(ANSWER_MS)]),
    stop: async () => {
      following?.abort()
      cancelRetry()
      await running
    },
    fault: () => fault,
  }
}
