import { randomBytes } from 'node:crypto'
import {
  type AnswerDevice,
  type AttentionEntry,
  createRelayPair,
  createRelaySecret,
  type PushSubscriptionKeys,
  reasonOf,
  StewardError,
  writePairingLink,
} from '@steward/contract'
import { addressOfPush, pushSettingsOf } from '@steward/notify'
import type { AttentionPorts } from '../ports.ts'
import type { NewDevice, StoredDevice } from '../request-store.ts'
import { type AnswerJudgePorts, createAnswerJudge } from './answer-judge.ts'
import { createPushSubscriptions } from './push-subscriptions.ts'
import { createRelayDevices } from './relay-devices.ts'
import { createReplyTopics } from './reply-topics.ts'

export interface Devices {
  start: () => void
  stop: () => Promise<void>
  list: () => AnswerDevice[]
  active: () => StoredDevice[]
  /** Adds a device that answers by push buttons. */
  add: (name: string) => { device: AnswerDevice; topic: string; address: string }
  /** Adds a device that answers through the relay, or pairs it again. */
  pair: (
    name: string,
    answers: boolean | undefined,
  ) => Promise<{ device: AnswerDevice; link: string }>
  /** Sends notifications to a browser. */
  subscribe: (name: string, subscription: PushSubscriptionKeys) => Promise<AnswerDevice>
  pushKey: () => Promise<string>
  allow: (idOrName: string, answers: boolean) => AnswerDevice
  revoke: (idOrName: string) => Promise<AnswerDevice>
  /** Sends the list to devices that show it now. */
  show: (entries: readonly AttentionEntry[]) => void
  fault: () => string | undefined
}

interface DevicesPorts
  extends AnswerJudgePorts,
    Pick<
      AttentionPorts,
      'home' | 'settings' | 'environment' | 'redactor' | 'setTimer' | 'fetch' | 'log'
    > {
  list: () => Promise<readonly AttentionEntry[]>
}

const PAIRING_MS = 10 * 60_000
/** A person has a few. */
const MOST_DEVICES = 50

/** The devices of the person: added, paired, allowed to answer, revoked. */
export const createDevices = (ports: DevicesPorts): Devices => {
  const { store, settings, now, log } = ports
  const judge = createAnswerJudge(ports)
  const subscriptions = createPushSubscriptions(ports)
  const active = (): StoredDevice[] =>
    store.devices().filter(({ revoked_ms }) => revoked_ms === null)
  const topics = createReplyTopics({ ...ports, judge, active })
  const relay = createRelayDevices({ ...ports, judge, subscriptions })

  const seek = (idOrName: string): StoredDevice | undefined =>
    active().find(({ id, name }) => id === idOrName || name === idOrName)
  const find = (idOrName: string): StoredDevice => {
    const found = seek(idOrName)
    if (found !== undefined) return found
    throw new StewardError('not_found', { what: 'device', name: idOrName })
  }
  const create = (name: string, given: Partial<NewDevice> = {}): string => {
    if (active().length >= MOST_DEVICES) {
      const reason = `there are ${MOST_DEVICES} devices; revoke one with \`steward answer devices revoke\``
      throw new StewardError('invalid_input', { subject: 'name', reason, field: 'name' })
    }
    const id = randomBytes(6).toString('hex')
    const plain = { topic: '', reply_topic: '', key: '', answers: false }
    store.addDevice({ id, name, ...plain, created_ms: now(), ...given })
    return id
  }
  const describe = (id: string): AnswerDevice => {
    const device = store.devices().find((each) => each.id === id)
    if (device === undefined) throw new StewardError('not_found', { what: 'device', name: id })
    return describeDevice(device, subscriptions.has(id), now())
  }
  const connectRelay = (): void => {
    relay.connect().catch((thrown: unknown) => {
      log.warn(`attention: the relay does not know the devices yet: ${reasonOf(thrown)}`)
    })
  }

  return {
    start: () => {
      topics.follow()
      if (active().some((device) => device.relay !== null)) connectRelay()
    },
    stop: async () => {
      topics.stop()
      await relay.stop()
    },
    active,
    list: () => store.devices().map(({ id }) => describe(id)),
    add: (name) => {
      if (seek(name) !== undefined) {
        const reason = `a device named ${name} exists; revoke it first or choose another name`
        throw new StewardError('invalid_input', { subject: 'name', reason, field: 'name' })
      }
      const topic = `steward-${randomBytes(18).toString('hex')}`
      const server = pushSettingsOf(settings().notifications)?.server ?? 'ntfy.sh'
      const address = addressOfPush({ server, topic })
      if (!address.ok) throw address.error
      const id = create(name, {
        topic,
        reply_topic: `steward-${randomBytes(18).toString('hex')}`,
        key: randomBytes(32).toString('base64url'),
        // Its pushes have buttons, which is what it is added for.
        answers: true,
      })
      topics.follow()
      return { device: describe(id), topic, address: address.value.href }
    },
    pair: async (name, answers) => {
      const address = await relay.address()
      const id = seek(name)?.id ?? create(name)
      if (answers !== undefined) store.setAnswers(id, answers)
      const pair = await createRelayPair()
      const secret = createRelaySecret()
      const untilMs = now() + PAIRING_MS
      store.setRelay(id, { ...pair, secret, untilMs, peer: null })
      // The relay has to know the device before its code is scanned.
      await relay.connect()
      const link = writePairingLink(address, { device: id, key: pair.publicKey, secret })
      return { device: describe(id), link }
    },
    subscribe: async (name, subscription) => {
      const id = seek(name)?.id ?? create(name)
      await subscriptions.add({ id, name }, subscription)
      return describe(id)
    },
    pushKey: async () => {
      const key = await subscriptions.publicKey()
      if (key !== null) return key
      throw new StewardError('internal', { reason: 'there are no keys for web push; see the log' })
    },
    allow: (idOrName, answers) => {
      const { id } = find(idOrName)
      store.setAnswers(id, answers)
      return describe(id)
    },
    revoke: async (idOrName) => {
      const device = find(idOrName)
      store.revokeDevice(device.id, now())
      topics.follow()
      if (device.relay !== null) connectRelay()
      await subscriptions.remove(device.id)
      return describe(device.id)
    },
    show: (entries) => relay.show(entries),
    fault: () => topics.fault() ?? relay.fault(),
  }
}

const describeDevice = (device: StoredDevice, hasWebPush: boolean, nowMs: number): AnswerDevice => {
  const { id, name, topic, relay, answers, created_ms, revoked_ms, last_answer_ms } = device
  const isPairing = relay !== null && relay.peer === null && relay.untilMs > nowMs
  return {
    id,
    name,
    ways: [
      ...(topic === '' ? [] : ['push' as const]),
      ...(relay?.peer ? ['relay' as const] : []),
      ...(hasWebPush ? ['webpush' as const] : []),
    ],
    answers,
    pairUntil: isPairing ? toIso(relay.untilMs) : null,
    createdAt: new Date(created_ms).toISOString(),
    revokedAt: toIso(revoked_ms),
    lastAnswerAt: toIso(last_answer_ms),
  }
}

const toIso = (atMs: number | null): string | null =>
  atMs === null ? null : new Date(atMs).toISOString()
