import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type ChannelName,
  fail,
  type NotificationKind,
  reasonOf,
  toStewardError,
} from '@steward/contract'
import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'
import { prepareChannel } from '../channels/prepare-channel.ts'
import { createChannelRedactor } from '../channels/secrets-of-channels.ts'
import { failed, type SendOutcome } from '../channels/send-outcome.ts'
import { appendEventLog } from '../event-log/append-event-log.ts'
import type { NewDelivery } from '../outbox/delivery.ts'
import { type Outbox, openOutbox } from '../outbox/outbox.ts'
import { createPump, type Pump } from '../outbox/pump.ts'
import type { UnconfirmedDelivery } from '../outbox/resolve-unconfirmed.ts'
import { kindOfCompletion } from '../routing/kind-of-completion.ts'
import { holdUntil } from '../routing/quiet-hours.ts'
import { routeNotice } from '../routing/route-notice.ts'
import { buildDelivery, testNotice } from './build-delivery.ts'
import { describeHealth } from './describe-health.ts'
import type { Notice, NoticeOutcome } from './notice.ts'
import type { Notifier, NotifierPorts } from './notifier.ts'
import { describeRetry } from './retry-delivery.ts'
import { createUnstoredSender } from './send-unstored.ts'
import { createOutcomeTeller } from './tell-outcome.ts'

const START_AGAIN_MS = 10_000

/** The notifier of a data home. Opens its outbox on first use. */
export const createNotifier = (ports: NotifierPorts): Notifier => {
  const { home, settings, environment, now, random, setTimer, log } = ports
  const path = join(home.databases, 'outbox.sqlite')
  let outbox: Outbox | undefined
  let pump: Pump | undefined
  let fault: string | undefined
  let cancelStart: (() => void) | undefined
  const writing = new Set<Promise<unknown>>()

  const context = () => ({ settings: settings(), environment: environment() })
  const channelRedactor = createChannelRedactor(context)
  const redactText = (text: string): string =>
    channelRedactor().redactText(ports.redactor().redactText(text).value).value
  const say = (message: string): void => log.warn(redactText(`notifications: ${message}`))
  const recordFault = (message: string): void => {
    if (message !== fault) say(message)
    fault = message
  }

  const openedOutbox = (): Outbox => {
    outbox ??= openOutbox({ path, now, random })
    return outbox
  }
  /** Storage errors are reported in health and the log, but do not fail the caller. */
  const attempt = <T>(work: (outbox: Outbox) => T): T | undefined => {
    try {
      return work(openedOutbox())
    } catch (thrown) {
      recordFault(reasonOf(thrown))
      return undefined
    }
  }

  const attemptLater = async <T>(work: (outbox: Outbox) => Promise<T>): Promise<T | undefined> => {
    const tryIt = async (): Promise<T | undefined> => {
      try {
        return await work(openedOutbox())
      } catch (thrown) {
        recordFault(reasonOf(thrown))
        return undefined
      }
    }
    const written = tryIt()
    writing.add(written)
    try {
      return await written
    } finally {
      writing.delete(written)
    }
  }

  const send = async (channel: ChannelName, message: OutgoingMessage): Promise<SendOutcome> => {
    const prepared = prepareChannel(channel, context(), ports)
    if (!prepared.ok) return failed(prepared.error)
    try {
      return await prepared.value.send(message)
    } catch (thrown) {
      return failed(toStewardError(thrown))
    }
  }

  const ask = async (
    channel: ChannelName,
    unconfirmed: UnconfirmedDelivery,
  ): Promise<AskOutcome> => {
    const prepared = prepareChannel(channel, context(), ports)
    if (!prepared.ok) return { state: 'unaskable', reason: prepared.error.message }
    const { ask: question } = prepared.value
    if (question === undefined)
      return { state: 'unaskable', reason: 'its attempt has no known end' }
    try {
      return await question(unconfirmed.delivery, Math.max(0, unconfirmed.elapsedMs))
    } catch (thrown) {
      return { state: 'failed', error: toStewardError(thrown) }
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

  const tellOutcome = createOutcomeTeller({ say, writeEvent, redactText })
  const openedPump = (): Pump => {
    pump ??= createPump({
      outbox: openedOutbox(),
      send,
      setTimer,
      ask,
      onFault: recordFault,
      onSettled: (delivery, outcome, state) => {
        fault = undefined
        tellOutcome.ofSend(delivery, outcome, state)
      },
      onResolved: (delivery, answer, state) => {
        fault = undefined
        tellOutcome.ofQuestion(delivery, answer, state)
      },
    })
    return pump
  }

  const sendUnstored = createUnstoredSender({ send, now, say })

  const enqueue = async (id: string, notice: Notice): Promise<NoticeOutcome> => {
    const kind = notice.kind ?? null
    const isReady = (channel: ChannelName) => prepareChannel(channel, context(), ports).ok
    const asked = [...new Set(notice.channels ?? routeNotice(kind, settings()))]
    // Nothing has to be set up for it but a browser, so that its absence is no news.
    const routed = asked.filter((channel) => channel !== 'webpush' || isReady(channel))
    // Where nothing else is set up, the desktop shows it.
    const fallsBack =
      notice.channels === undefined &&
      notice.needsChannel !== true &&
      routed.length > 0 &&
      !routed.includes('desktop') &&
      !routed.some(isReady) &&
      isReady('desktop')
    const channels: ChannelName[] = fallsBack ? [...routed, 'desktop'] : routed
    const deliveries = channels.map((channel) => {
      const sender = prepareChannel(channel, context(), ports)
      const { quietHours } = settings().notifications
      const heldUntil = holdUntil(kind, channel, now(), quietHours)
      const delivery = { ...buildDelivery(notice, channel, redactText), heldUntil }
      return sender.ok ? delivery : { ...delivery, skipped: sender.error.message }
    })
    const { key, needsChannel } = notice
    if (needsChannel === true && deliveries.every(isSkipped)) {
      return {
        id,
        kind,
        stored: false,
        unreachable: explainSilence(kind, deliveries),
        deliveries: [],
      }
    }
    const hasNoReceiver = deliveries.length === 0 && key === undefined
    const taken = hasNoReceiver
      ? { repeated: false, deliveries: [] }
      : await attemptLater((box) => box.enqueue(id, deliveries, key))
    if (taken?.repeated) {
      return { id, kind, stored: true, repeated: true, deliveries: taken.deliveries }
    }
    writeEvent('notification.requested', notice.sessionId ?? null, { id, kind, channels })
    if (taken === undefined) {
      if (key === undefined) sendUnstored(deliveries)
      return { id, kind, stored: false, reason: fault ?? '', deliveries: [] }
    }
    if (!hasNoReceiver) fault = undefined
    for (const { id: deliveryId, channel, state, detail } of taken.deliveries) {
      // Nothing was attempted: the channel is not set up.
      if (state !== 'skipped') continue
      const error = redactText(detail ?? '')
      const fields = { id: deliveryId, channel, kind, attempts: 0, error }
      writeEvent('notification.skipped', notice.sessionId ?? null, fields)
    }
    pump?.wake()
    return { id, kind, stored: true, deliveries: taken.deliveries }
  }

  const notify = async (notice: Notice): Promise<NoticeOutcome> => {
    const id = randomUUID()
    try {
      return await enqueue(id, notice)
    } catch (thrown) {
      const reason = reasonOf(thrown)
      say(reason)
      return { id, kind: notice.kind ?? null, stored: false, reason, deliveries: [] }
    }
  }

  /** Waits until earlier notices are on disk or have failed. */
  const settleWrites = async (): Promise<void> => {
    while (writing.size > 0) await Promise.all(writing)
  }

  const start = (): void => {
    const isStarted = attempt(() => {
      openedPump().start()
      return true
    })
    // A full disk may have room later.
    if (isStarted === undefined) cancelStart = setTimer(START_AGAIN_MS, start)
  }

  return {
    notify,
    recordTaskStart: async (sessionId) => {
      await attemptLater(({ taskTimes }) => taskTimes.begin(sessionId))
    },
    notifyTaskComplete: async (message, { durationMs, ...options } = {}) => {
      const { sessionId } = options
      const measured =
        sessionId === undefined
          ? undefined
          : await attemptLater(({ taskTimes }) => taskTimes.end(sessionId))
      const kind = kindOfCompletion(durationMs ?? measured, settings())
      return notify({ message, kind, ...options })
    },
    notifyBackgroundAgent: (agent, message, options = {}) =>
      notify({ message, kind: 'backgroundAgent', title: agent, ...options }),
    notifyError: (message, options = {}) => notify({ message, kind: 'error', ...options }),
    sendPush: (message, options = {}) => notify({ message, channels: ['push'], ...options }),
    sendChat: (message, options = {}) => notify({ message, channels: ['chat'], ...options }),
    test: async (channel) => {
      const delivery = buildDelivery(testNotice(channel), channel, redactText)
      const message = { ...delivery, id: randomUUID(), createdAt: now(), count: 1 }
      const outcome = await send(channel, message)
      attempt((box) => box.record(delivery, outcome))
      return outcome
    },
    withdraw: async (key) => {
      await settleWrites()
      for (const delivery of attempt((box) => box.withdraw(key)) ?? []) {
        const prepared = prepareChannel(delivery.channel, context(), ports)
        if (prepared.ok) await prepared.value.retract?.(delivery)
      }
    },
    retry: (id) => {
      try {
        const retried = describeRetry(id, openedOutbox().retry(id))
        if (retried.ok) pump?.wake()
        return retried
      } catch (thrown) {
        recordFault(reasonOf(thrown))
        return fail(toStewardError(thrown))
      }
    },
    start,
    flush: async () => {
      await settleWrites()
      return (await attempt(() => openedPump().flush())) ?? false
    },
    stop: async () => {
      cancelStart?.()
      await settleWrites()
      const [stopped, closed] = [pump, outbox]
      // Later notices are stored for the next process.
      pump = undefined
      outbox = undefined
      await stopped?.stop()
      await closed?.close()
    },
    deliveries: (limit, filter) => attempt((box) => box.list(limit, filter)) ?? [],
    find: (id) => attempt((box) => box.find(id)),
    health: () => {
      const states = attempt((box) => box.channelStates()) ?? []
      const isReady = (channel: ChannelName) => prepareChannel(channel, context(), ports)
      return describeHealth({ states, fault, settings: settings(), isReady })
    },
  }
}

const isSkipped = ({ skipped }: NewDelivery): boolean => skipped !== undefined

const explainSilence = (
  kind: NotificationKind | null,
  deliveries: readonly NewDelivery[],
): string =>
  deliveries.length === 0
    ? `notifications.routing sends ${kind} to no channel`
    : deliveries.map(({ skipped = '' }) => skipped).join('; ')
