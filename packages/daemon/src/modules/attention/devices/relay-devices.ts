import {
  type AttentionEntry,
  deriveRelayKeys,
  hashRelayAccess,
  openFrame,
  parseJson,
  RELAY_LIMITS,
  RELAY_WORKER,
  type RelayFrame,
  type RelayKeys,
  type RelayReply,
  type RelayRequest,
  reasonOf,
  relayAccessOf,
  relayRequest,
  sealFrame,
  workerName,
} from '@steward/contract'
import { findEdgeWorker } from '@steward/platform'
import type { AttentionPorts } from '../ports.ts'
import type { DeviceRelay, RequestStore, StoredDevice } from '../request-store.ts'
import type { AnswerJudge } from './answer-judge.ts'
import type { PushSubscriptions } from './push-subscriptions.ts'
import { createRelayLink, type HeldFrame } from './relay-link.ts'

export interface RelayDevices {
  /** Tells the relay which devices there are; resolves when it knows. */
  connect: () => Promise<void>
  /** The address of the relay that is in use; throws if there is none. */
  address: () => Promise<string>
  /** Sends the list to the devices that show it now. */
  show: (entries: readonly AttentionEntry[]) => void
  stop: () => Promise<void>
  fault: () => string | undefined
}

interface RelayDevicesPorts
  extends Pick<
    AttentionPorts,
    'home' | 'settings' | 'environment' | 'redactor' | 'now' | 'setTimer' | 'fetch' | 'log'
  > {
  store: RequestStore
  judge: AnswerJudge
  list: () => Promise<readonly AttentionEntry[]>
  subscriptions: PushSubscriptions
}

/** A page asks again every 45 seconds while it is open. */
const WATCH_MS = 100_000
const REPLY_VALID_MS = 2 * 60_000
const MOST_ENTRIES = 30

/** Answers of devices that are paired with the relay, end to end encrypted. */
export const createRelayDevices = (ports: RelayDevicesPorts): RelayDevices => {
  const { home, store, judge, settings, environment, redactor, now, log, subscriptions } = ports
  const keys = new Map<string, { peer: string; keys: Promise<RelayKeys> }>()
  /** Until when a device shows the list. */
  const watching = new Map<string, number>()
  let lastCounter = 0
  /** One after the other, because the counters must arrive in order. */
  let sending: Promise<unknown> = Promise.resolve()

  const find = async () => {
    const context = { home, edge: settings().edge, environment: environment() }
    // A phone cannot reach the local edge, so a deployed relay comes first.
    return (await findEdgeWorker(workerName(RELAY_WORKER), context)).at(-1)
  }

  const keysOf = (id: string, relay: DeviceRelay, peer: string): Promise<RelayKeys> => {
    const known = keys.get(id)
    if (known?.peer === peer) return known.keys
    const { publicKey, privateKey, secret } = relay
    const between = [publicKey, peer] as const
    const made = deriveRelayKeys({ device: id, secret, privateKey, peer, between })
    keys.set(id, { peer, keys: made })
    return made
  }

  const send = (id: string, slot: string, reply: RelayReply): Promise<unknown> => {
    const post = async (): Promise<void> => {
      const device = store.devices().find((each) => each.id === id)
      const relay = device?.relay
      if (!relay?.peer || device?.revoked_ms !== null) return
      lastCounter = Math.max(lastCounter + 1, now())
      const frame = await sealFrame(
        await keysOf(id, relay, relay.peer),
        { device: id, direction: 'down' },
        { counter: lastCounter, expires: now() + REPLY_VALID_MS },
        redactor().known.redact(reply).value,
      )
      await link.post('/relay/send', { device: id, slot, frame })
    }
    sending = sending
      .then(post)
      .catch((thrown: unknown) => log.warn(`attention: a device got no reply: ${reasonOf(thrown)}`))
    return sending
  }

  const showTo = async (device: StoredDevice, entries: readonly AttentionEntry[]) => {
    const { id, name, answers } = device
    const waiting = fitting(entries.slice(0, MOST_ENTRIES))
    const more = entries.length - waiting.length
    const pushKey = await subscriptions.publicKey()
    await send(id, 'list', { type: 'waiting', device: name, answers, waiting, more, pushKey })
  }

  const obey = async (device: StoredDevice, request: RelayRequest, counter: number) => {
    // Every request is from a page that is open.
    watching.set(device.id, now() + WATCH_MS)
    if (request.type === 'watch') {
      await showTo(device, await ports.list())
      return
    }
    const tell = (ok: boolean, message: string) =>
      send(device.id, `result-${counter}`, { type: 'result', counter, ok, message })
    if (request.type === 'subscribe') {
      await subscriptions.add(device, request.subscription)
      await tell(true, 'Notifications are on.')
      return
    }
    if (judge.isFlooding(device)) return
    const refused = await judge.accept(device, request.id, request.answer)
    await tell(refused === undefined, refused ?? 'The assistant has your answer.')
  }

  /** Verifies a frame: undefined if it cannot be from the device, which is logged. */
  const open = async (
    device: StoredDevice,
    relay: DeviceRelay,
    frame: RelayFrame,
  ): Promise<RelayRequest | undefined> => {
    const refuse = async (reason: string): Promise<undefined> => {
      if (!judge.isFlooding(device)) await judge.refuse(device, '', reason)
    }
    const peer = relay.peer ?? frame.key
    if (peer === undefined) return refuse('it has no key')
    if (frame.key !== undefined && frame.key !== peer) {
      return refuse('its code was scanned by another device before')
    }
    if (relay.peer === null && relay.untilMs <= now()) return refuse('its pairing code expired')
    const place = { device: device.id, direction: 'up' } as const
    const text = await keysOf(device.id, relay, peer).then(
      (known) => openFrame(known, place, frame),
      () => undefined,
    )
    if (text === undefined) {
      if (relay.peer === null) keys.delete(device.id)
      return refuse('its signature is wrong')
    }
    const json = parseJson(text, 'a frame')
    const request = relayRequest.safeParse(json.ok ? json.value : undefined)
    if (!request.success) return refuse('it cannot be read')
    if (relay.peer === null) store.setRelay(device.id, { ...relay, peer })
    return request.data
  }

  const take = async ({ device: id, frame }: HeldFrame, isFirst: boolean): Promise<void> => {
    const device = store.devices().find((each) => each.id === id)
    if (device?.relay == null) return
    try {
      if (device.revoked_ms !== null) {
        await judge.refuse(device, '', 'the device is revoked')
        return
      }
      const request = await open(device, device.relay, frame)
      if (request === undefined) return
      const about = request.type === 'answer' ? request.id : ''
      const leftMs = frame.expires - now()
      if (leftMs <= 0 || leftMs > RELAY_LIMITS.frameMs) {
        await judge.refuse(device, about, 'it expired')
      } else if (frame.counter <= device.counter) {
        // After a restart the relay sends again what it has no confirmation of.
        if (!isFirst) await judge.refuse(device, about, 'it was used before')
      } else {
        // Recorded afterwards: if the daemon is killed in between, the frame comes again, and
        // an answer that was accepted stays the one that counts.
        await obey(device, request, frame.counter)
        store.recordCounter(id, frame.counter)
      }
    } catch (thrown) {
      log.error(`attention: an answer could not be judged: ${reasonOf(thrown)}`)
    }
  }

  const paired = (): StoredDevice[] =>
    store.devices().filter(({ relay, revoked_ms }) => relay !== null && revoked_ms === null)

  const link = createRelayLink({
    ...ports,
    find,
    take,
    devices: () =>
      Promise.all(
        paired()
          .slice(-RELAY_LIMITS.devices)
          .map(async ({ id, relay }) => ({
            id,
            access: await hashRelayAccess(await relayAccessOf(relay?.secret ?? '')),
          })),
      ),
  })

  return {
    connect: () => link.connect(),
    address: async () => (await link.find()).url,
    show: (entries) => {
      for (const device of paired()) {
        if ((watching.get(device.id) ?? 0) > now()) void showTo(device, entries)
      }
    },
    stop: async () => {
      await link.stop()
      await sending
    },
    fault: () => (paired().length === 0 ? undefined : link.fault()),
  }
}

/** As many entries as one frame can hold; a quarter is left for encryption and Base64. */
const fitting = (entries: readonly AttentionEntry[]): AttentionEntry[] => {
  let left = RELAY_LIMITS.frameChars / 2
  return entries.filter((entry) => {
    left -= Buffer.byteLength(JSON.stringify(entry))
    return left > 0
  })
}
