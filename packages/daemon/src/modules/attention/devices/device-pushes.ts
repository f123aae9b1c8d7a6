import type { AttentionAnswer, AttentionEntry } from '@steward/contract'
import {
  addressOfPush,
  type PushButton,
  pushSettingsOf,
  retractPush,
  sendPush,
} from '@steward/notify'
import type { AttentionPorts } from '../ports.ts'
import type { StoredDevice } from '../request-store.ts'
import { signAnswer } from './answer-token.ts'

export interface DevicePushes {
  /** Shows an entry with its buttons on every device; retries until it is withdrawn. */
  tell: (entry: AttentionEntry, title: string, message: string) => void
  withdraw: (id: string) => void
  stop: () => void
}

const RETRY_MS = [5000, 30_000, 120_000] as const
const BUTTONS = 3
/** Hosted agents wait without a limit; their buttons do not. */
const OPEN_MS = 86_400_000
/** A longer message is cut by the server, so that it could not be read completely. */
const WHOLE_BYTES = 3900

type Ports = Pick<
  AttentionPorts,
  'settings' | 'environment' | 'redactor' | 'now' | 'setTimer' | 'fetch' | 'log'
>

/**
 * Pushes with buttons, each device on its own topic. They do not go through the outbox, because a
 * request that is hours old is of no use.
 */
export const createDevicePushes = (
  ports: Ports,
  active: () => readonly StoredDevice[],
): DevicePushes => {
  const { settings, environment, redactor, now, setTimer, fetch, log } = ports
  /** Entries on devices, and the timers of retries. */
  const shown = new Map<string, Map<string, () => void>>()
  const http = { fetch, abortAfter: AbortSignal.timeout }

  const targetOf = (topic: string): { address: URL; token?: string } | undefined => {
    const server = pushSettingsOf(settings().notifications)?.server ?? 'ntfy.sh'
    const address = addressOfPush({ server, topic })
    const token = environment().NTFY_TOKEN
    return address.ok ? { address: address.value, ...(token ? { token } : {}) } : undefined
  }

  const attempt = async (
    device: StoredDevice,
    entry: AttentionEntry,
    [title, message]: readonly [string, string],
    tries: number,
  ): Promise<void> => {
    const target = targetOf(device.topic)
    const replies = targetOf(device.reply_topic)
    const pending = shown.get(entry.id)
    if (target === undefined || replies === undefined || pending === undefined) return
    const outcome = await sendPush(
      {
        id: pushId(device, entry.id),
        kind: 'waiting',
        title: redactor().redactText(title).value,
        message: redactor().redactText(message).value,
        priority: 4,
        tags: ['raised_hand'],
        click: null,
        color: null,
        createdAt: now(),
        count: 1,
        buttons:
          Buffer.byteLength(message) > WHOLE_BYTES
            ? []
            : buttonsOf(entry, device, replies.address.href),
      },
      target,
      http,
    )
    if (outcome.state !== 'failed' || !shown.has(entry.id)) return
    log.warn(`attention: ${device.name} was not notified: ${outcome.error.message}`)
    const delayMs = RETRY_MS[tries]
    if (delayMs === undefined || !outcome.error.retryable) return
    pending.set(
      device.id,
      setTimer(delayMs, () => void attempt(device, entry, [title, message], tries + 1)),
    )
  }

  return {
    tell: (entry, title, message) => {
      if (shown.has(entry.id)) return
      const devices = active().filter(({ topic }) => topic !== '')
      shown.set(entry.id, new Map())
      for (const device of devices) void attempt(device, entry, [title, message], 0)
    },
    withdraw: (id) => {
      for (const cancel of shown.get(id)?.values() ?? []) cancel()
      if (!shown.delete(id)) return
      for (const device of active().filter(({ topic }) => topic !== '')) {
        const target = targetOf(device.topic)
        if (target !== undefined) void retractPush({ id: pushId(device, id) }, target, http)
      }
    },
    stop: () => {
      for (const pending of shown.values()) for (const cancel of pending.values()) cancel()
    },
  }
}

const pushId = (device: StoredDevice, id: string): string =>
  `${device.id}-${id.replaceAll(/[^\w-]/g, '_')}`.slice(0, 64)

/** Buttons for decisions, and for the options of a single question. */
const buttonsOf = (
  { id, answer: place, since }: AttentionEntry,
  { id: deviceId, key, answers }: StoredDevice,
  address: string,
): PushButton[] => {
  if (place.where !== 'here' || !answers) return []
  const untilMs = place.until === null ? Date.parse(since) + OPEN_MS : Date.parse(place.until)
  const button = (label: string, answer: AttentionAnswer): PushButton => ({
    label,
    address,
    body: signAnswer({ requestId: id, deviceId, answer, untilMs }, key),
  })
  const [question, ...others] = place.questions
  if (question !== undefined) {
    const fits = others.length === 0 && !question.multiple && question.options.length <= BUTTONS
    return fits ? question.options.map(({ label }) => button(label, { choice: label })) : []
  }
  if (!place.decides) return []
  return [
    button('Allow', { decision: 'allow' }),
    button('Deny', { decision: 'deny' }),
    ...(place.always === undefined
      ? []
      : [button('Always', { decision: 'allow', scope: 'always' })]),
  ]
}
