import type { NotificationKind } from '@steward/contract'

/** 1 is the least, 3 the usual, 5 the most urgent, as the ntfy protocol counts. */
export type Priority = 1 | 2 | 3 | 4 | 5

/** What a channel is asked to deliver. Secrets are out of its texts already. */
export interface OutgoingMessage {
  /** The same at every attempt, so that services that can tell a repeat apart do. */
  id: string
  kind: NotificationKind | null
  title: string
  message: string
  priority: Priority
  tags: readonly string[]
  /** An address to open. */
  click: string | null
  /** 0xRRGGBB, where the kind's own is not wanted. */
  color: number | null
  /** Milliseconds since the epoch. */
  createdAt: number
  /** How often it was said while it waited. */
  count: number
  /** An attempt before this one may have arrived, and nobody can say. */
  isRepeat?: boolean
}

/** The text with a note of how often it was said. */
export const textOf = ({ message, count }: Pick<OutgoingMessage, 'message' | 'count'>): string =>
  count > 1 ? `${message}\n(${count} times)` : message
