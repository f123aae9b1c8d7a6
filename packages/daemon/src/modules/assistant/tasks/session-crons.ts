import { reasonOf, type TaskRow } from '@steward/contract'
import { describeSchedule, formatInZone, nextFiring, readCron } from '@steward/engine'
import { eventLogPath, type Home, instantOf, readTail } from '@steward/platform'
import { z } from 'zod'

const cron = z.object({ schedule: z.string(), recurring: z.boolean(), prompt: z.string() })
type SessionCron = z.infer<typeof cron>

const told = z.object({
  type: z.enum(['turn_end', 'session_end']),
  host: z.literal('claude'),
  session_id: z.string().min(1),
  timestamp: z.string(),
  session_crons: z.array(cron).optional(),
})

const READ_ROWS = 5000
const KEPT_SESSIONS = 500
/** The host drops its crons after this time; a killed session never reports its end. */
const FORGOTTEN_AFTER_MS = 7 * 86_400_000
const NAME_CHARS = 120

export interface SessionCrons {
  /** Reads an assistant's recent log; unparseable rows are ignored. */
  load: (home: Home) => Promise<void>
  /** Returns whether the list changed. */
  take: (rows: readonly unknown[]) => boolean
  rows: (nowMs: number, zone: string) => TaskRow[]
}

/**
 * Prompts that sessions of an assistant scheduled for later. The host keeps them and lists them at
 * the end of each turn; they end with the session.
 */
export const createSessionCrons = (warn: (message: string) => void): SessionCrons => {
  const sessions = new Map<string, { atMs: number; crons: readonly SessionCron[] }>()

  const take: SessionCrons['take'] = (rows) => {
    let hasChanged = false
    for (const row of rows) {
      const parsed = told.safeParse(row)
      if (!parsed.success) continue
      const { type, session_id, timestamp, session_crons } = parsed.data
      const atMs = instantOf(timestamp)
      const known = sessions.get(session_id)
      if (atMs === undefined || (known !== undefined && known.atMs > atMs)) continue
      // Older versions of the host do not list them.
      if (type === 'turn_end' && session_crons === undefined) continue
      const crons = type === 'session_end' ? [] : (session_crons ?? [])
      hasChanged ||= JSON.stringify(known?.crons ?? []) !== JSON.stringify(crons)
      sessions.delete(session_id)
      sessions.set(session_id, { atMs, crons })
    }
    for (const id of [...sessions.keys()].slice(0, -KEPT_SESSIONS)) sessions.delete(id)
    return hasChanged
  }

  return {
    take,
    load: async (home) => {
      try {
        const { rows } = await readTail(eventLogPath(home, 'tool-activity'), { rows: READ_ROWS })
        take(rows.map(({ row }) => row))
      } catch (thrown) {
        warn(`assistant: the crons of sessions cannot be read: ${reasonOf(thrown)}`)
      }
    },
    rows: (nowMs, zone) =>
      [...sessions].flatMap(([session, { atMs, crons }]) =>
        nowMs - atMs > FORGOTTEN_AFTER_MS
          ? []
          : crons.flatMap((each) => describe(each, { session, atMs, nowMs, zone }) ?? []),
      ),
  }
}

const describe = (
  { schedule, recurring, prompt }: SessionCron,
  { session, atMs, nowMs, zone }: { session: string; atMs: number; nowMs: number; zone: string },
): TaskRow | undefined => {
  const read = readCron(schedule)
  const next = read.ok ? nextFiring(read.value, recurring ? nowMs : atMs, zone) : undefined
  // A one-time cron in the past has already fired.
  if (!recurring && next !== undefined && next <= nowMs) return undefined
  return {
    name: prompt.split('\n')[0]?.slice(0, NAME_CHARS) || 'a prompt without words',
    schedule: describeWhen(read, { schedule, recurring, next, zone }),
    status: 'active',
    source: 'claude-code',
    next: next === undefined ? null : formatInZone(next, zone),
    details: {
      note: `set by the session ${session}; its host keeps it until the session ends`,
    },
  }
}

const describeWhen = (
  read: ReturnType<typeof readCron>,
  given: { schedule: string; recurring: boolean; next: number | undefined; zone: string },
): string => {
  const { schedule, recurring, next, zone } = given
  if (!read.ok) return schedule
  if (recurring || next === undefined) return describeSchedule(read.value, zone)
  return describeSchedule({ at: new Date(next).toISOString() }, zone)
}
