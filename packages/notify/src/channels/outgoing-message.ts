import type { NotificationKind } from '@steward/contract'

/** 1 is lowest, 3 normal, 5 most urgent, as in the ntfy protocol. */
export type Priority = 1 | 2 | 3 | 4 | 5

/** A button that posts a text to an address, from the device that shows it. */
export interface PushButton {
  label: string
  address: string
  body: string
}

/** A message for a channel. Secrets are already masked in its texts. */
export interface OutgoingMessage {
  /** The same at every attempt, so that services can deduplicate. */
  id: string
  kind: NotificationKind | null
  title: string
  message: string
  priority: Priority
  tags: readonly string[]
  /** An address to open. */
  click: string | null
  /** At most three; only push shows them. */
  buttons?: readonly PushButton[]
  /** 0xRRGGBB; overrides the color of the kind. */
  color: number | null
  /** Milliseconds since the epoch. */
  createdAt: number
  /** How often it was repeated while it waited. */
  count: number
  /** An earlier attempt may have arrived, which cannot be determined. */
  isRepeat?: boolean
}

/** The text with a note of its count. */
export const textOf = ({ message, count }: Pick<OutgoingMessage, 'message' | 'count'>): string =>
  count > 1 ? `${message}\n(${count} times)` : message
