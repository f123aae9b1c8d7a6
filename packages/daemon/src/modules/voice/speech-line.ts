import type { Announcement, NotificationKind } from '@steward/contract'

/** How an announcement wants to be said. */
export type Manner = Omit<Announcement, 'message' | 'voice_enabled'>

/** One announcement on its way: what is said and how. */
export interface SpeechLine {
  id: string
  /** As it is said: without Markdown, cut to length. */
  text: string
  manner: Manner
  priority: Priority
  /** When it was asked for first; its place among its equals. */
  atMs: number
  /** When it was asked for last; what it goes stale by. */
  freshAtMs: number
}

/** The lower the sooner. */
export const PRIORITY = { security: 0, error: 1, normal: 2 } as const
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY]

export const priorityOf = (kind: NotificationKind | undefined): Priority =>
  kind === 'security' || kind === 'error' ? PRIORITY[kind] : PRIORITY.normal

/** How a line ended. */
export interface LineEnd {
  outcome: 'spoken' | 'failed' | 'skipped'
  /** Why it was skipped or failed, in a word. */
  reason?: string
  error?: string
  engine?: string
  voiceId?: string
  statusCode?: number
  /** Providers that were tried before and failed. */
  attempts?: readonly { engine: string; error: string }[]
}

export interface EndedLine {
  line: SpeechLine
  end: LineEnd
  endedAtMs: number
}
