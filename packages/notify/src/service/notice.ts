import type { ChannelName, NotificationKind } from '@steward/contract'
import type { Priority } from '../channels/outgoing-message.ts'
import type { Enqueued } from '../outbox/outbox.ts'

/** Something a person should know. Only the text is needed; the kind fills in the rest. */
export interface Notice {
  message: string
  kind?: NotificationKind
  title?: string
  priority?: Priority
  /** Names that ntfy shows as emoji, such as `warning`. */
  tags?: readonly string[]
  /** An address to open. */
  click?: string
  /** 0xRRGGBB. */
  color?: number
  sessionId?: string
  /** Instead of the channels that the kind is routed to. */
  channels?: readonly ChannelName[]
}

/** What became of a notice when it was handed over. It is never thrown at the caller. */
export interface NoticeOutcome {
  id: string
  kind: NotificationKind | null
  /** Whether it is on disk. When not, `reason` says why, and it was sent at once instead. */
  stored: boolean
  reason?: string
  deliveries: readonly Enqueued[]
}
