import { z } from 'zod'
import { attentionAnswer, attentionEntry } from './attention.ts'

/** Limits of the relay, for every device. */
export const RELAY_LIMITS = {
  /** Characters of one encrypted frame. */
  frameChars: 256_000,
  /** Frames that wait for one receiver. */
  frames: 50,
  perMinute: 60,
  /** The longest time until a frame expires. */
  frameMs: 10 * 60_000,
  devices: 50,
  /** How long the relay holds a request for new frames. */
  waitMs: 25_000,
} as const

const base64Url = (most: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(most)
const deviceId = z.string().regex(/^[\w-]{1,64}$/)

export const relayFrame = z.strictObject({
  counter: z.int().positive(),
  expires: z.int().positive(),
  iv: base64Url(32),
  data: base64Url(RELAY_LIMITS.frameChars),
  /** The public key of the device; needed when it is paired. */
  key: base64Url(100).optional(),
})
export type RelayFrame = z.infer<typeof relayFrame>

/** `POST /relay/devices`: the devices that may use the relay; all others are refused from now on. */
export const relayDevices = z.strictObject({
  devices: z
    .array(
      z.strictObject({
        id: deviceId,
        /** The hash of what the device shows to the relay. */
        access: base64Url(64),
      }),
    )
    .max(RELAY_LIMITS.devices),
})

/** `POST /relay/poll`: confirms frames up to `ack`, and waits for others. */
export const relayPoll = z.strictObject({
  ack: z.int().nonnegative(),
  waitMs: z.int().nonnegative().max(RELAY_LIMITS.waitMs),
})

/** `POST /relay/send`: a frame for a device; it replaces the last one with the same slot. */
export const relaySend = z.strictObject({
  device: deviceId,
  slot: z.string().max(64),
  frame: relayFrame,
})

/** Frames for the daemon, and `GET /box/ID?after=SEQ` for a device, oldest first. */
export const relayPage = z.object({
  frames: z.array(z.object({ seq: z.int(), device: deviceId, frame: relayFrame })),
  /** The time of the relay, for devices whose clock is wrong. */
  now: z.number(),
})
export type RelayPage = z.infer<typeof relayPage>

/** Push services use https; without it a device could have requests sent into the local network. */
const isPushAddress = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost'
}

/** A subscription of a browser to web push, as `PushSubscription.toJSON` writes it. */
export const pushSubscription = z.object({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(isPushAddress, 'must be an https address'),
  keys: z.object({ p256dh: base64Url(200), auth: base64Url(100) }),
})
export type PushSubscriptionKeys = z.infer<typeof pushSubscription>

/** The content of a frame from a device. */
export const relayRequest = z.discriminatedUnion('type', [
  /** Sends the list of what waits, and again when it changes, for a while. */
  z.strictObject({ type: z.literal('watch') }),
  z.strictObject({
    type: z.literal('answer'),
    id: z.string().min(1).max(500),
    answer: attentionAnswer,
  }),
  z.strictObject({ type: z.literal('subscribe'), subscription: pushSubscription }),
])
export type RelayRequest = z.infer<typeof relayRequest>

/** The content of a frame from the daemon. */
export const relayReply = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('waiting'),
    /** The name of the device. */
    device: z.string(),
    /** Whether the device may answer. */
    answers: z.boolean(),
    waiting: z.array(attentionEntry),
    /** Entries that did not fit. */
    more: z.int().nonnegative(),
    /** The public key for web push. */
    pushKey: z.string().nullable(),
  }),
  /** What became of the request with this counter. */
  z.object({
    type: z.literal('result'),
    counter: z.int(),
    ok: z.boolean(),
    message: z.string(),
  }),
])
export type RelayReply = z.infer<typeof relayReply>
