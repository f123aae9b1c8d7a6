import type { ChannelName, Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer } from '@steward/platform'
import type { ChannelPorts } from '../channels/prepare-channel.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import type { Delivery } from '../outbox/delivery.ts'
import type { NotifierHealth } from './describe-health.ts'
import type { Notice, NoticeOutcome } from './notice.ts'

export interface NotifierPorts extends ChannelPorts {
  home: Pick<Home, 'databases' | 'stateDir'>
  /** As they are now; asked for at every notice and every attempt. */
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
  /** When the caller knows it better than `recordTaskStart` does. */
  durationMs?: number
}

/**
 * Tells people things, on the channels that the settings route them to. Nothing here throws or waits
 * for a service: a notice is on disk when the promise resolves, a burst in one commit, and is
 * delivered later, by this process when it was started, else by whichever pumps next.
 */
export interface Notifier {
  notify: (notice: Notice) => Promise<NoticeOutcome>
  /** A session begins to work on something: its completion is measured from here. */
  recordTaskStart: (sessionId: string) => Promise<void>
  /** A `longTask` when it took longer than `thresholds.longTaskMinutes`. */
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
  /** To push alone, whatever the routing. */
  sendPush: (
    message: string,
    options?: Pick<Notice, 'title' | 'priority'>,
  ) => Promise<NoticeOutcome>
  /** To chat alone, whatever the routing. */
  sendChat: (message: string, options?: Pick<Notice, 'title' | 'color'>) => Promise<NoticeOutcome>
  /** Sends a test message now, past the outbox and its limits, and says how it went. */
  test: (channel: ChannelName) => Promise<SendOutcome>
  /** Begins to deliver, until `stop`. */
  start: () => void
  /** Delivers what may be delivered now; false when another process does that already. */
  flush: () => Promise<boolean>
  stop: () => Promise<void>
  /** The delivery log, newest first; empty when it cannot be read, which `health` says. */
  deliveries: (limit: number) => Delivery[]
  find: (id: string) => Delivery | undefined
  health: () => NotifierHealth
}
