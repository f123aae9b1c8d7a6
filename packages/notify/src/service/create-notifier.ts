import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type ChannelName, reasonOf, type Settings, toStewardError } from '@steward/contract'
import type { Environment, Home, Redactor } from '@steward/memory'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'
import { type ChannelPorts, prepareChannel } from '../channels/prepare-channel.ts'
import { createChannelRedactor } from '../channels/secrets-of-channels.ts'
import { failed, type SendOutcome } from '../channels/send-outcome.ts'
import { appendEventLog } from '../event-log/append-event-log.ts'
import type { Delivery, NewDelivery } from '../outbox/delivery.ts'
import { type Outbox, openOutbox } from '../outbox/outbox.ts'
import { createPump, type Pump } from '../outbox/pump.ts'
import { kindOfCompletion } from '../routing/kind-of-completion.ts'
import { routeNotice } from '../routing/route-notice.ts'
import { buildDeliveries } from './build-deliveries.ts'
import { describeHealth, type NotifierHealth } from './describe-health.ts'
import type { Notice, NoticeOutcome } from './notice.ts'
import { testNotice } from './test-notice.ts'

export interface NotifierPorts extends ChannelPorts {
  home: Pick<Home, 'databases' | 'stateDir'>
  /** As they are now; asked for at every notice and every attempt. */
  settings: () => Settings
  environment: () => Environment
  redactor: () => Redactor
  now: () => number
  /** Between 0 and 1. */
  random: () => number
  setTimer: (delayMs: number, action: () => void) => () => void
  log: { info: (message: string) => void; warn: (message: string) => void }
}

export interface CompletionOptions {
  title?: string
  sessionId?: string
  /** When the caller knows it better than `noteTaskStart` does. */
  durationMs?: number
}

/**
 * Tells people things, on the channels that the settings route them to. Nothing here throws or waits
 * for a service: a notice is on disk when the function returns, and is delivered later, by this
 * process when it was started, else by whichever pumps next.
 */
export interface Notifier {
  notify: (notice: Notice) => NoticeOutcome
  /** A session begins to work on something: its completion is measured from here. */
  noteTaskStart: (sessionId: string) => void
  /** A `longTask` when it took longer than `thresholds.longTaskMinutes`. */
  notifyTaskComplete: (message: string, options?: CompletionOptions) => NoticeOutcome
  notifyBackgroundAgent: (
    agent: string,
    message: string,
    options?: Pick<Notice, 'sessionId'>,
  ) => NoticeOutcome
  notifyError: (message: string, options?: Pick<Notice, 'title' | 'sessionId'>) => NoticeOutcome
  /** To push alone, whatever the routing. */
  sendPush: (message: string, options?: Pick<Notice, 'title' | 'priority'>) => NoticeOutcome
  /** To chat alone, whatever the routing. */
  sendChat: (message: string, options?: Pick<Notice, 'title' | 'color'>) => NoticeOutcome
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

/** The notifier of a data home. Its outbox is opened at the first use. */
export const createNotifier = (ports: NotifierPorts): Notifier => {
  const { home, settings, environment, now, random, setTimer, log } = ports
  const path = join(home.databases, 'outbox.sqlite')
  let outbox: Outbox | undefined
  let pump: Pump | undefined
  let fault: string | undefined

  const context = () => ({ settings: settings(), environment: environment() })
  const channelRedactor = createChannelRedactor(context)
  const redactText = (text: string) => {
    const known = ports.redactor().redactText(text)
    const more = channelRedactor().redactText(known.value)
    return { value: more.value, found: [...known.found, ...more.found] }
  }
  const say = (message: string): void => log.warn(redactText(`notifications: ${message}`).value)
  const noteFault = (message: string): void => {
    fault = message
    say(message)
  }

  const openedOutbox = (): Outbox => {
    outbox ??= openOutbox({ path, now, random })
    return outbox
  }
  /** What the storage says no to is told in health and the log, and is no reason to fail. */
  const attempt = <T>(work: (outbox: Outbox) => T): T | undefined => {
    try {
      const value = work(openedOutbox())
      fault = undefined
      return value
    } catch (thrown) {
      noteFault(reasonOf(thrown))
      return undefined
    }
  }

  const send = async (channel: ChannelName, message: OutgoingMessage): Promise<SendOutcome> => {
    const sender = prepareChannel(channel, context(), ports)
    if (!sender.ok) return failed(sender.error)
    try {
      return await sender.value(message)
    } catch (thrown) {
      return failed(toStewardError(thrown))
    }
  }

  const writeEvent = (type: string, sessionId: string | null, fields: Record<string, unknown>) =>
    appendEventLog(
      { session_id: sessionId ?? '', source: 'notification', type, ...fields },
      {
        home,
        now,
        redactor: channelRedactor,
        onFault: (message) => say(`the event log: ${message}`),
      },
    )

  const openedPump = (): Pump => {
    pump ??= createPump({
      outbox: openedOutbox(),
      send,
      setTimer,
      onFault: noteFault,
      onSettled: (delivery, outcome, state) => {
        const { id, channel, kind, attempts } = delivery
        const problem = outcome.state === 'failed' ? outcome.error.message : undefined
        if (problem !== undefined) {
          say(`${channel}: ${problem}${state === 'waiting' ? '; it is tried again' : ''}`)
        }
        if (state === 'skipped' && outcome.state === 'skipped') say(`${channel}: ${outcome.detail}`)
        if (state === 'waiting') return
        writeEvent(`notification.${state}`, delivery.sessionId, {
          id,
          channel,
          kind,
          attempts,
          ...(problem === undefined ? {} : { error: redactText(problem).value }),
        })
      },
    })
    return pump
  }

  /** The storage is full or broken, which may be what the notice is about: better sent once than lost. */
  const sendUnstored = (deliveries: readonly NewDelivery[]): void => {
    for (const delivery of deliveries) {
      if (delivery.skipped !== undefined) continue
      const message = { ...delivery, id: randomUUID(), createdAt: now(), count: 1 }
      send(delivery.channel, message).then((outcome) => {
        if (outcome.state === 'failed') say(`${delivery.channel}: ${outcome.error.message}`)
      }, noteFault)
    }
  }

  const notify = (notice: Notice): NoticeOutcome => {
    const id = randomUUID()
    const kind = notice.kind ?? null
    const channels = notice.channels ?? routeNotice(kind, settings())
    const deliveries = buildDeliveries(notice, kind, [...new Set(channels)], { redactText })
    for (const delivery of deliveries) {
      const sender = prepareChannel(delivery.channel, context(), ports)
      if (!sender.ok) delivery.skipped = sender.error.message
    }
    writeEvent('notification.requested', notice.sessionId ?? null, { id, kind, channels })
    if (deliveries.length === 0) return { id, kind, stored: true, deliveries: [] }
    const enqueued = attempt((box) => box.enqueue(id, deliveries))
    if (enqueued === undefined) {
      sendUnstored(deliveries)
      return { id, kind, stored: false, reason: fault ?? '', deliveries: [] }
    }
    pump?.wake()
    return { id, kind, stored: true, deliveries: enqueued }
  }

  return {
    notify,
    noteTaskStart: (sessionId) => {
      attempt(({ taskTimes }) => taskTimes.begin(sessionId))
    },
    notifyTaskComplete: (message, { durationMs, ...options } = {}) => {
      const { sessionId } = options
      const measured =
        sessionId === undefined ? undefined : attempt(({ taskTimes }) => taskTimes.end(sessionId))
      const kind = kindOfCompletion(durationMs ?? measured, settings())
      return notify({ message, kind, ...options })
    },
    notifyBackgroundAgent: (agent, message, options = {}) =>
      notify({ message, kind: 'backgroundAgent', title: agent, ...options }),
    notifyError: (message, options = {}) => notify({ message, kind: 'error', ...options }),
    sendPush: (message, options = {}) => notify({ message, channels: ['push'], ...options }),
    sendChat: (message, options = {}) => notify({ message, channels: ['chat'], ...options }),
    test: async (channel) => {
      const [delivery] = buildDeliveries(testNotice(channel), null, [channel], { redactText })
      if (delivery === undefined) throw new Error('no delivery was built')
      const message = { ...delivery, id: randomUUID(), createdAt: now(), count: 1 }
      const outcome = await send(channel, message)
      attempt((box) => box.record(delivery, outcome))
      return outcome
    },
    start: () => {
      attempt(() => openedPump().start())
    },
    flush: async () => (await attempt(() => openedPump().flush())) ?? false,
    stop: async () => {
      await pump?.stop()
      outbox?.close()
    },
    deliveries: (limit) => attempt((box) => box.list(limit)) ?? [],
    find: (id) => attempt((box) => box.find(id)),
    health: () => {
      const states = attempt((box) => box.channelStates()) ?? []
      const isReady = (channel: ChannelName) => prepareChannel(channel, context(), ports)
      return describeHealth({ states, fault, settings: settings(), isReady })
    },
  }
}
