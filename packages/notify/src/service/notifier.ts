import type { ChannelName, Result, Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer } from '@steward/platform'
import type { ChannelPorts } from '../channels/prepare-channel.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import type { Delivery, DeliveryFilter } from '../outbox/delivery.ts'
import type { NotifierHealth } from './describe-health.ts'
import type { Notice, NoticeOutcome } from './notice.ts'
import type { RetriedDelivery } from './retry-delivery.ts'

export interface NotifierPorts extends ChannelPorts {
  home: Pick<Home, 'databases' | 'stateDir'>
  /** The current settings; read at every notice and attempt. */
  settings: () => Settings
  environment: () => Environment
  redactor: () => Redactor
  now: () => number
  /** Between 0 and 1. */
  random: () => number
  setTimer: StartTimer
  log: { warn: (message: string) => void }
}

export interface CompletionOptions {
  title?: string
  sessionId?: string
  /** Overrides the time measured by `recordTaskStart`. */
  durationMs?: number
}

/**
 * Sends notices to the channels that the settings route them to. Never throws and never waits for a
 * service: a notice is on disk when the promise resolves (a burst in one commit) and is delivered
 * later, by this process if started, else by the next one that pumps.
 */
export interface Notifier {
  notify: (notice: Notice) => Promise<NoticeOutcome>
  /** A session starts a task; its completion is measured from here. */
  recordTaskStart: (sessionId: string) => Promise<void>
  /** A `longTask` if it took longer than `thresholds.longTaskMinutes`. */
  notifyTaskComplete: (message: string, options?: CompletionOptions) => Promise<NoticeOutcome>
  notifyBackgroundAgent: (
    agent: string,
    message: string,
    options?: Pick<Notice, 'sessionId'>,
  ) => Promise<NoticeOutcome>
  notifyError: (
    message: string,
    options?: Pick<Notice, 'title' | 'sessionId' | 'key'>,
  ) => Promise<NoticeOutcome>
  /** Only to push, regardless of routing. */
  sendPush: (
    message: string,
    options?: Pick<Notice, 'title' | 'priority'>,
  ) => Promise<NoticeOutcome>
  /** Only to chat, regardless of routing. */
  sendChat: (message: string, options?: Pick<Notice, 'title' | 'color'>) => Promise<NoticeOutcome>
  /** Sends a test message now, without the outbox and its limits, and returns the outcome. */
  test: (channel: ChannelName) => Promise<SendOutcome>
  /** Takes back a notice by its key: cancelled if it waits, removed from phones if it arrived. */
  withdraw: (key: string) => Promise<void>
  /** Sends a failed delivery again, once; fails if it is unknown or in another state. */
  retry: (id: string) => Result<RetriedDelivery>
  /** Starts delivering, until `stop`. */
  start: () => void
  /** Delivers everything that is due; false if another process is doing that. */
  flush: () => Promise<boolean>
  stop: () => Promise<void>
  /** The delivery log, newest first; empty if it cannot be read, which `health` reports. */
  deliveries: (limit: number, filter?: DeliveryFilter) => Delivery[]
  find: (id: string) => Delivery | undefined
  health: () => NotifierHealth
}
