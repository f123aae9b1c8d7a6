import {
  createRelayPair,
  deriveRelayKeys,
  type FramePlace,
  openFrame,
  type PairingCode,
  type RelayPage,
  type RelayReply,
  type RelayRequest,
  relayAccessOf,
  sealFrame,
} from '@steward/contract'
import { type Pairing, updatePairing } from './device-memory.ts'

export interface RelayLink {
  /** Resolves with the frame's counter when the relay has it. */
  send: (request: RelayRequest, validMs: number) => Promise<number>
  /** Waits for replies of the daemon, once. */
  receive: (signal: AbortSignal) => Promise<RelayReply[]>
}

/** The relay does not accept this phone: it was revoked, or the QR code is old. */
export class Refused extends Error {}

/** Creates this phone's keys from a QR code; replaces those of an earlier one. */
export const pair = async ({ device, key, secret }: PairingCode): Promise<Pairing> => {
  const own = await createRelayPair()
  const keys = await deriveRelayKeys({
    device,
    secret,
    privateKey: own.privateKey,
    peer: key,
    between: [key, own.publicKey],
  })
  const access = await relayAccessOf(secret)
  const pairing = { device, publicKey: own.publicKey, keys, access, sent: 0, seen: 0 }
  await updatePairing(() => pairing)
  return pairing
}

/** Talks to the daemon through the relay that served this page. */
export const openRelayLink = ({ device, publicKey, keys, access }: Pairing): RelayLink => {
  const headers = { authorization: `Bearer ${access}`, 'content-type': 'application/json' }
  const up: FramePlace = { device, direction: 'up' }
  const down: FramePlace = { device, direction: 'down' }
  /** The relay's clock minus that of this phone, which may be wrong. */
  let skewMs = 0
  let after = 0

  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(path, { ...init, headers, cache: 'no-store' })
    if (response.status === 401) throw new Refused('this device may not use the relay')
    const body: unknown = await response.json()
    if (!response.ok) throw new Error(String(memberOf(body, 'error') ?? `HTTP ${response.status}`))
    skewMs = Number(memberOf(body, 'now') ?? Date.now()) - Date.now()
    return body
  }

  const take = async ({ frame }: RelayPage['frames'][number]): Promise<RelayReply | undefined> => {
    const text = await openFrame(keys, down, frame)
    if (text === undefined || frame.expires <= Date.now() + skewMs) return undefined
    let isNew = false
    await updatePairing((pairing) => {
      isNew = pairing !== undefined && frame.counter > pairing.seen
      return pairing && isNew ? { ...pairing, seen: frame.counter } : pairing
    })
    const reply: unknown = JSON.parse(text)
    return isNew && isReply(reply) ? reply : undefined
  }

  return {
    send: async (request, validMs) => {
      const now = Date.now() + skewMs
      const stored = await updatePairing(
        (pairing) => pairing && { ...pairing, sent: Math.max(pairing.sent + 1, Math.floor(now)) },
      )
      const counter = stored?.sent ?? 1
      const expires = Math.floor(now + validMs)
      const frame = await sealFrame(keys, up, { counter, expires }, request)
      const body = JSON.stringify({ ...frame, key: publicKey })
      await ask(`/box/${device}`, { method: 'POST', body })
      return counter
    },
    receive: async (signal) => {
      const page = await ask(`/box/${device}?after=${after}`, { signal })
      if (!isPage(page)) throw new Error('the relay sends something else')
      const replies: RelayReply[] = []
      for (const held of page.frames) {
        const reply = await take(held)
        if (reply !== undefined) replies.push(reply)
        after = held.seq
      }
      return replies
    },
  }
}

// What is inside comes from the daemon, which is authenticated; checking it with the schemas would
// make the page ten times as large.
const isPage = (value: unknown): value is RelayPage => Array.isArray(memberOf(value, 'frames'))
const isReply = (value: unknown): value is RelayReply =>
  memberOf(value, 'type') === 'result' || Array.isArray(memberOf(value, 'waiting'))

const memberOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)
