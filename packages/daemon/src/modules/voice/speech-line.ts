import type { Announcement, NotificationKind } from '@steward/contract'

/** How an announcement should be spoken. */
export type Manner = Omit<Announcement, 'message' | 'voice_enabled'>

/** A queued announcement: its text and manner. */
export interface SpeechLine {
  id: string
  /** The spoken text: without Markdown, cut to length. */
  text: string
  manner: Manner
  priority: Priority
  /** The time of the first request; it determines the order. */
  atMs: number
  /** The time of the last request; it determines expiry. */
  freshAtMs: number
}

/** Lower is spoken earlier. */
export const PRIORITY = { security: 0, error: 1, normal: 2 } as const
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY]

export const priorityOf = (kind: NotificationKind | undefined): Priority =>
  kind === 'security' || kind === 'error' ? PRIORITY[kind] : PRIORITY.normal

/** How a line ended. */
export interface LineEnd {
  outcome: 'spoken' | 'failed' | 'skipped'
  /** A short reason for skipping or failing. */
  reason?: string
  error?: string
  engine?: string
  voiceId?: string
  statusCode?: number
  /** Providers that failed before. */
  attempts?: readonly { engine: string; error: string }[]
}

export interface EndedLine {
  line: SpeechLine
  end: LineEnd
  endedAtMs: number
}
