import {
  isJsonObject,
  LIMITS,
  StewardError,
  type StewardEvent,
  stewardEvent,
  typeOf,
} from '@steward/contract'
import {
  eventKey,
  normaliseEvent,
  type Redactor,
  readStateFile,
  writeStateFile,
} from '@steward/platform'
import { z } from 'zod'
import type { Log } from '../../../log/log.ts'

/** A pushed event with its position in the order of arrival. */
export interface PushedEvent {
  sequence: number
  event: StewardEvent
}

const stored = z.object({
  /** The position of the last event. */
  sequence: z.int().nonnegative(),
  receivedAt: z.string().nullable(),
  events: z.array(z.object({ sequence: z.int().positive(), event: stewardEvent })),
})
type Stored = z.infer<typeof stored>

const EMPTY: Stored = { sequence: 0, receivedAt: null, events: [] }
const SUBJECT = 'the pushed events'

export interface PushedEventsPorts {
  path: string
  redactor: () => Pick<Redactor, 'redactFields'>
  now: () => number
  log: Pick<Log, 'error'>
}

/**
 * Events pushed by others: the newest 200, kept across restarts in a separate file and never mixed
 * into this machine's logs.
 */
export const createPushedEvents = ({ path, redactor, now, log }: PushedEventsPorts) => {
  let state: Stored = EMPTY
  let keys = new Set<string>()
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const set = (changed: Stored): void => {
    state = changed
    keys = new Set(changed.events.map(({ event }) => eventKey(event)))
  }
  /** Several pending changes are written together. */
  const persist = (): Promise<void> => {
    next ??= writing
      .catch(() => undefined)
      .then(() => {
        next = undefined
        writing = writeStateFile(path, state)
        return writing
      })
    return next
  }

  /** Events that could not be written are not acknowledged and count as new when pushed again. */
  const takeBack = (fresh: readonly PushedEvent[]) => (thrown: unknown) => {
    set({ ...state, events: state.events.filter((each) => !fresh.includes(each)) })
    throw thrown
  }

  return {
    load: async (): Promise<void> => {
      const read = await readStateFile(path, stored, EMPTY)
      if (read.ok) set(read.value)
      else log.error(`previously pushed events are not shown: ${read.error.message}`)
    },
    /**
     * Accepts a push: an array of at most 200, `{events}`, or one event. Known events (by
     * `eventKey`) are accepted but not new. Resolves when the events are on disk.
     */
    accept: async (body: unknown, isLocal: (event: StewardEvent) => boolean) => {
      const items = itemsOf(body)
      const events = items.flatMap((item) => toEvent(item, redactor()) ?? [])
      const fresh: PushedEvent[] = []
      let { sequence } = state
      // Pushes are newest first, the order of arrival is oldest first.
      for (const event of events.toReversed()) {
        const key = eventKey(event)
        if (keys.has(key) || isLocal(event)) continue
        keys.add(key)
        sequence += 1
        fresh.push({ sequence, event })
      }
      const receivedAt = new Date(now()).toISOString()
      const kept = [...state.events, ...fresh].slice(-LIMITS.mergedEvents)
      set({ sequence, receivedAt, events: kept })
      if (fresh.length > 0) await persist().catch(takeBack(fresh))
      return { accepted: events.length, rejected: items.length - events.length, fresh }
    },
    /** Drops a pushed event when its row appears in this machine's log. */
    forget: (event: StewardEvent): boolean => {
      if (keys.size === 0) return false
      const key = eventKey(event)
      if (!keys.has(key)) return false
      set({ ...state, events: state.events.filter((each) => eventKey(each.event) !== key) })
      return true
    },
    /** Newest first. */
    events: (): StewardEvent[] => state.events.map(({ event }) => event).reverse(),
    sequence: (): number => state.sequence,
    receivedAt: (): string | null => state.receivedAt,
    /** Events after a position; undefined if some were already dropped. */
    since: (sequence: number): PushedEvent[] | undefined => {
      if (sequence > state.sequence) return undefined
      const later = state.events.filter((each) => each.sequence > sequence)
      return state.sequence - sequence > LIMITS.mergedEvents ? undefined : later
    },
  }
}

const itemsOf = (body: unknown): unknown[] => {
  const items: unknown[] = Array.isArray(body)
    ? body
    : isJsonObject(body) && Array.isArray(body.events)
      ? body.events
      : [body]
  if (!Array.isArray(body) && !isJsonObject(body)) {
    const reason = `must be an array of events, {events} or one event, found ${typeOf(body)}`
    throw new StewardError('invalid_input', { subject: SUBJECT, reason })
  }
  if (items.length <= LIMITS.mergedEvents) return items
  const reason = `at most ${LIMITS.mergedEvents} at a time, found ${items.length}`
  throw new StewardError('invalid_input', { subject: SUBJECT, reason })
}

const toEvent = (
  item: unknown,
  redactor: Pick<Redactor, 'redactFields'>,
): StewardEvent | undefined => {
  const parsed = stewardEvent.safeParse(item)
  if (!parsed.success) return undefined
  const row = redactor.redactFields(parsed.data).value
  return normaliseEvent(parsed.data.source, row)
}
