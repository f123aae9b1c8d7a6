import { randomBytes } from 'node:crypto'
import { type AnswerDevice, type AttentionAnswer, reasonOf, StewardError } from '@steward/contract'
import { addressOfPush, followTopics, pushSettingsOf, type TopicMessage } from '@steward/notify'
import type { AttentionPorts } from '../ports.ts'
import type { RequestStore, StoredDevice } from '../request-store.ts'
import { readAnswerToken } from './answer-token.ts'

export interface Devices {
  start: () => void
  stop: () => void
  list: () => AnswerDevice[]
  active: () => StoredDevice[]
  add: (name: string) => { device: AnswerDevice; topic: string; address: string }
  revoke: (idOrName: string) => AnswerDevice
  /** Judges one message of a reply topic. Never rejects. */
  take: (message: Pick<TopicMessage, 'topic' | 'message'>) => Promise<void>
  fault: () => string | undefined
}

interface DevicesPorts
  extends Pick<AttentionPorts, 'settings' | 'environment' | 'now' | 'setTimer' | 'fetch' | 'log'> {
  store: RequestStore
  answer: (id: string, answer: AttentionAnswer, by: { name: string }) => Promise<void>
  /** Writes a refused answer to the security log. Never rejects. */
  recordRefusal: (requestId: string, device: string, reason: string) => Promise<void>
}

const RETRY_MS = { first: 1000, most: 60_000 }
const MINUTE_MS = 60_000
/** Per device; a person answers far fewer. */
const MOST_PER_MINUTE = 30

/** Devices that may answer by push: pairing, revocation, and their replies. */
export const createDevices = (ports: DevicesPorts): Devices => {
  const { store, settings, environment, now, setTimer, fetch, log } = ports
  let following: AbortController | undefined
  let cancelRetry = (): void => undefined
  let fault: string | undefined
  const recent = new Map<string, number[]>()

  const active = (): StoredDevice[] =>
    store.devices().filter(({ revoked_ms }) => revoked_ms === null)
  const serverOf = (): string => pushSettingsOf(settings().notifications)?.server ?? 'ntfy.sh'

  const follow = (delayMs: number = RETRY_MS.first): void => {
    following?.abort()
    cancelRetry()
    const topics = active().map(({ reply_topic }) => reply_topic)
    if (topics.length === 0) return
    const controller = new AbortController()
    following = controller
    const token = environment().NTFY_TOKEN
    // Without a known reply, those of the last minutes: an answer may have come before the start.
    const since = store.lastReply() ?? '10m'
    const place = { server: serverOf(), topics, since, ...(token ? { token } : {}) }
    const takeOne = async (message: TopicMessage): Promise<void> => {
      fault = undefined
      await take(message)
      store.recordReply(message.id)
    }
    const again = (reason: string): void => {
      if (controller.signal.aborted) return
      if (fault !== reason) log.warn(`attention: answers of devices cannot be read: ${reason}`)
      fault = reason
      cancelRetry = setTimer(delayMs, () => follow(Math.min(delayMs * 2, RETRY_MS.most)))
    }
    followTopics(place, takeOne, { fetch, signal: controller.signal }).then(
      () => again('the connection ended'),
      (thrown: unknown) => again(reasonOf(thrown)),
    )
  }

  /** The answers of a device in the last minute, before this one. */
  const countRecent = (deviceId: string): number => {
    const times = (recent.get(deviceId) ?? []).filter((at) => at > now() - MINUTE_MS)
    recent.set(deviceId, [...times, now()].slice(-MOST_PER_MINUTE - 1))
    return times.length
  }

  const judge = async (
    device: StoredDevice,
    text: string,
  ): Promise<{ requestId: string; refused?: string }> => {
    const claims = readAnswerToken(text, (id) => (id === device.id ? device.key : undefined))
    if (claims === undefined) return { requestId: '', refused: 'its signature is wrong' }
    const { requestId, answer, untilMs, nonce } = claims
    if (device.revoked_ms !== null) return { requestId, refused: 'the device is revoked' }
    if (untilMs <= now()) return { requestId, refused: 'it expired' }
    if (!store.useToken(nonce, untilMs, now())) return { requestId, refused: 'it was used before' }
    try {
      await ports.answer(requestId, answer, { name: `device ${device.name}` })
      store.recordDeviceAnswer(device.id, now())
      return { requestId }
    } catch (thrown) {
      return { requestId, refused: reasonOf(thrown) }
    }
  }

  const take: Devices['take'] = async ({ topic, message }) => {
    const device = store.devices().find(({ reply_topic }) => reply_topic === topic)
    if (device === undefined) return
    const count = countRecent(device.id)
    if (count >= MOST_PER_MINUTE) {
      // Once per burst, so that a flood does not fill the logs.
      if (count === MOST_PER_MINUTE) {
        log.warn(`attention: too many answers from ${device.name}; they are ignored for a while`)
      }
      return
    }
    try {
      const { requestId, refused } = await judge(device, message)
      if (refused !== undefined) await ports.recordRefusal(requestId, device.name, refused)
    } catch (thrown) {
      log.error(`attention: an answer could not be judged: ${reasonOf(thrown)}`)
    }
  }

  return {
    start: () => follow(),
    stop: () => {
      following?.abort()
      cancelRetry()
    },
    active,
    list: () => store.devices().map(describe),
    add: (name) => {
      if (active().some((device) => device.name === name)) {
        const reason = `a device named ${name} exists; revoke it first or choose another name`
        throw new StewardError('invalid_input', { subject: 'name', reason, field: 'name' })
      }
      const topic = `steward-${randomBytes(18).toString('hex')}`
      const address = addressOfPush({ server: serverOf(), topic })
      if (!address.ok) throw address.error
      const device = {
        id: randomBytes(6).toString('hex'),
        name,
        topic,
        reply_topic: `steward-${randomBytes(18).toString('hex')}`,
        key: randomBytes(32).toString('base64url'),
        created_ms: now(),
      }
      store.addDevice(device)
      follow()
      const stored = { ...device, revoked_ms: null, last_answer_ms: null }
      return { device: describe(stored), topic, address: address.value.href }
    },
    revoke: (idOrName) => {
      const found = active().find(({ id, name }) => id === idOrName || name === idOrName)
      if (found === undefined)
        throw new StewardError('not_found', { what: 'device', name: idOrName })
      store.revokeDevice(found.id, now())
      follow()
      return describe({ ...found, revoked_ms: now() })
    },
    take,
    fault: () => (active().length === 0 ? undefined : fault),
  }
}

const describe = ({
  id,
  name,
  created_ms,
  revoked_ms,
  last_answer_ms,
}: StoredDevice): AnswerDevice => ({
  id,
  name,
  createdAt: new Date(created_ms).toISOString(),
  revokedAt: toIso(revoked_ms),
  lastAnswerAt: toIso(last_answer_ms),
})

const toIso = (atMs: number | null): string | null =>
  atMs === null ? null : new Date(atMs).toISOString()
