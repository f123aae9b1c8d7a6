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
  /**
   * Notices with the same key are one, for a month, whoever hands them over: the first is taken. One
   * that cannot be stored is not sent either, so that it may be handed over again.
   */
  key?: string
  /** When no channel would carry it, it is not taken: the caller has another use for that. */
  needsChannel?: true
}

/** What became of a notice when it was handed over. It is never thrown at the caller. */
export interface NoticeOutcome {
  id: string
  kind: NotificationKind | null
  /** Whether it is on disk. When not, `reason` says why, and without a key it was sent at once instead. */
  stored: boolean
  reason?: string
  /** It needed a channel and no channel would carry it, for this reason; nothing was kept. */
  unreachable?: string
  /** Its key was taken before; the deliveries are those of then. */
  repeated?: true
  deliveries: readonly Enqueued[]
}
