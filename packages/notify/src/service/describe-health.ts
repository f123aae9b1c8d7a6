import {
  CHANNELS,
  type ChannelName,
  type ModuleHealth,
  NOTIFICATION_KINDS,
  type Result,
  type Settings,
} from '@steward/contract'
import type { ChannelState } from '../outbox/channel-states.ts'

export interface ChannelHealth {
  /** Set up and switched on. */
  ready: boolean
  /** What is missing if it is not ready. */
  reason: string | null
  /** Kinds that are routed to it. */
  routed: string[]
  waiting: number
  failures: number
  restsUntil: string | null
  lastDeliveredAt: string | null
  lastError: string | null
  lastErrorAt: string | null
}

export interface NotifierHealth extends ModuleHealth {
  channels: Partial<Record<ChannelName, ChannelHealth>>
}

interface Facts {
  states: readonly ChannelState[]
  /** The last storage error. */
  fault: string | undefined
  settings: Settings
  isReady: (channel: ChannelName) => Result<unknown>
}

/**
 * The health of each channel. A failing or misconfigured channel degrades it; one that was never
 * set up does not.
 */
export const describeHealth = ({ states, fault, settings, isReady }: Facts): NotifierHealth => {
  const channels: NotifierHealth['channels'] = {}
  const reasons = fault === undefined ? [] : [`the outbox: ${fault}`]
  for (const channel of CHANNELS) {
    const state = states.find((known) => known.channel === channel)
    const ready = isReady(channel)
    const lastError = state !== undefined && state.failures > 0 ? state.lastError : null
    if (ready.ok && lastError !== null) reasons.push(`${channel}: ${lastError}`)
    channels[channel] = {
      ready: ready.ok,
      reason: ready.ok ? null : ready.error.message,
      routed: NOTIFICATION_KINDS.filter((kind) =>
        settings.notifications.routing[kind].includes(channel),
      ),
      waiting: state?.waiting ?? 0,
      failures: state?.failures ?? 0,
      restsUntil: state === undefined || state.restUntil === 0 ? null : toIso(state.restUntil),
      lastDeliveredAt: toIso(state?.lastDeliveredAt ?? null),
      lastError: state?.lastError ?? null,
      lastErrorAt: toIso(state?.lastErrorAt ?? null),
    }
  }
  return reasons.length === 0
    ? { status: 'ok', channels }
    : { status: 'degraded', reasons, channels }
}

const toIso = (moment: number | null): string | null =>
  moment === null ? null : new Date(moment).toISOString()
