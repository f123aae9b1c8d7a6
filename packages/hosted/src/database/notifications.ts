import { parseJson } from '@steward/contract'
import { z } from 'zod'
import type { Announcement } from './tx.ts'

/** The channel that all processes of one database listen on. */
export const CHANNEL = 'steward_hosted'

/** Postgres limits a notification to less than 8,000 bytes; a UTF-16 unit has at most three. */
const PART_UNITS = 2500

/** Each part is a separate notification; `$1` is the channel, `$2` an array of texts in order. */
export const NOTIFY =
  'SELECT pg_notify($1, part) FROM unnest($2::text[]) WITH ORDINALITY AS parts (part, place) ORDER BY place'

export interface Packer {
  /** Contained in every text that this packer produces. */
  readonly sender: string
  /**
   * Splits an announcement into texts. Each is unique, because Postgres deduplicates equal
   * notifications within a transaction.
   */
  pack(announcement: Announcement): readonly string[]
}

export const createPacker = (): Packer => {
  const sender = crypto.randomUUID()
  let count = 0
  return {
    sender,
    pack: (announcement) => {
      const text = JSON.stringify(forOthers(announcement))
      const parts: string[] = []
      for (let start = 0; start < text.length; start += PART_UNITS) {
        const last = start + PART_UNITS >= text.length
        parts.push(
          `${sender} ${count++} ${last ? 'end' : 'more'} ${text.slice(start, start + PART_UNITS)}`,
        )
      }
      return parts
    },
  }
}

/**
 * Events are left out: a notification must be short and reaches all processes, so each reads the
 * events it needs.
 */
const forOthers = ({ sessionId, news }: Announcement): Announcement => ({
  sessionId,
  news: news.type === 'appended' ? { type: news.type, seq: news.seq } : news,
})

const announcement = z.object({
  sessionId: z.string(),
  news: z.discriminatedUnion('type', [
    z.object({ type: z.literal('appended'), seq: z.number() }),
    z.object({ type: z.literal('archived') }),
    z.object({ type: z.literal('deleted') }),
    z.object({ type: z.literal('preview'), frame: z.string() }),
  ]),
})

const PART = /^(\S+) \d+ (end|more) (.*)$/s

/**
 * Reassembles announcements of other processes; ignores those that `own` sent and foreign payloads.
 */
export const createUnpacker = (own: string): ((payload: string) => Announcement | undefined) => {
  const open = new Map<string, string>()
  return (payload) => {
    const [, from, kind, text] = PART.exec(payload) ?? []
    if (from === undefined || from === own || text === undefined) return undefined
    const whole = (open.get(from) ?? '') + text
    if (kind === 'more') {
      open.set(from, whole)
      return undefined
    }
    open.delete(from)
    const read = parseJson(whole, 'a notification')
    return read.ok ? announcement.safeParse(read.value).data : undefined
  }
}
