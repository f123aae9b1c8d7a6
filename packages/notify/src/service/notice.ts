import type { ChannelName, NotificationKind } from '@steward/contract'
import type { Priority } from '../channels/outgoing-message.ts'
import type { Enqueued } from '../outbox/outbox.ts'

/** A notice for a person. Only the text is required; the kind provides defaults. */
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
  /** Overrides the channels that the kind is routed to. */
  channels?: readonly ChannelName[]
  /**
   * Notices with the same key are deduplicated for a month, from any caller: the first is accepted.
   * One that cannot be stored is not sent either, so that it can be retried.
   */
  key?: string
  /** Refused if no channel can carry it, so that the caller can do something else. */
  needsChannel?: true
}

/** The result of sending a notice. Never thrown. */
export interface NoticeOutcome {
  id: string
  kind: NotificationKind | null
  /**
   * Whether it is on disk. If not, `reason` says why, and without a key it was sent immediately
   * instead.
   */
  stored: boolean
  reason?: string
  /** It needed a channel and none could carry it, for this reason; nothing was stored. */
  unreachable?: string
  /** Its key was used before; the deliveries are the original ones. */
  repeated?: true
  deliveries: readonly Enqueued[]
}
