import type { ErrorCode, ParsedFeed } from '@steward/contract'
import { type FeedBody, parseFeedBody } from '@steward/engine'

/** A result without classes, which threads cannot send each other. */
export type SentFeed =
  | { feed: ParsedFeed }
  | { error: { code: ErrorCode; message: string; details: Record<string, unknown> } }

/** Runs in a thread that can be ended: megabytes of items take seconds. */
export const read = (body: FeedBody): SentFeed => {
  const parsed = parseFeedBody(body)
  if (parsed.ok) return { feed: parsed.value }
  const { code, message, details } = parsed.error
  return { error: { code, message, details } }
}
