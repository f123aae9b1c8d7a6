import { type ChannelName, channelName, notificationKind } from '@steward/contract'
import { z } from 'zod'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'

const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'merged', 'skipped'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface DeliveryFilter {
  state?: DeliveryState | undefined
  /** Only deliveries older than the one with this id. */
  before?: string | undefined
}

/** One notice on one channel. */
export interface Delivery extends OutgoingMessage {
  /** Shared by all channels of the same notice. */
  notice: string
  channel: ChannelName
  sessionId: string | null
  state: DeliveryState
  attempts: number
  /** Its state in words. */
  detail: string | null
  finishedAt: number | null
  /** The end of the quiet hours it waited for; 0 if none. */
  heldUntil: number
  /** The start of the attempt whose outcome is unknown; 0 if there is none. */
  attemptAt: number
  /** How often its channel was queried without a conclusive answer. */
  questions: number
  isRepeat: boolean
}

/** A new notice for one channel; `skipped` ones are recorded with their reason and never sent. */
export interface NewDelivery
  extends Omit<OutgoingMessage, 'id' | 'count' | 'createdAt' | 'isRepeat'>,
    Pick<Delivery, 'channel' | 'sessionId'> {
  skipped?: string
  /** It waits until this time, and its age counts from then; milliseconds since the epoch. */
  heldUntil?: number
}

const row = z.object({
  id: z.string(),
  notice: z.string(),
  channel: channelName,
  kind: notificationKind.nullable(),
  session_id: z.string().nullable(),
  title: z.string(),
  message: z.string(),
  priority: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]),
  tags: z.string(),
  click: z.string().nullable(),
  color: z.number().nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  count: z.number(),
  created_at: z.number(),
  held_until: z.number(),
  finished_at: z.number().nullable(),
  detail: z.string().nullable(),
  attempt_at: z.number(),
  questions: z.number(),
  is_repeat: z.number(),
})
const tags = z.array(z.string())

export const readDelivery = (value: unknown): Delivery => {
  const { session_id, created_at, finished_at, held_until, attempt_at, is_repeat, ...rest } =
    row.parse(value)
  return {
    ...rest,
    tags: tags.parse(JSON.parse(rest.tags)),
    sessionId: session_id,
    createdAt: created_at,
    finishedAt: finished_at,
    heldUntil: held_until,
    attemptAt: attempt_at,
    isRepeat: is_repeat === 1,
  }
}
