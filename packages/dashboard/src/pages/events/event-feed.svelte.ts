import type { StewardEvent } from '@steward/contract'
import { sawDaemon } from '../../live/connection.svelte.ts'
import { daemon } from '../../live/daemon.ts'
import { openLastingStream } from '../../live/lasting-stream.ts'
import { type Problem, toProblem } from '../../live/problem.ts'
import { whileVisible } from '../../live/while-visible.ts'
import { type EventRow, joinEvent, keyOf } from './join-events.ts'
import { mergeRows } from './merge-rows.ts'

/** The oldest rows beyond this are dropped. */
const MAX_ROWS = 10_000
/** A burst is rendered once. */
const GATHER_MS = 100

export interface EventFeed {
  /** Newest first. */
  readonly rows: readonly EventRow[]
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  readonly isPaused: boolean
  /** Events received while paused. */
  readonly held: number
  /** All events of the history; undefined until the daemon was asked for older ones. */
  readonly total: number | undefined
  /** The filter has older events that are not loaded. */
  readonly hasOlder: boolean
  /** Loads the newest events of the whole history that fit a filter. */
  find: (filter: string) => Promise<void>
  loadOlder: () => Promise<void>
  pause: () => void
  goOn: () => void
}

/** Events as they happen. Must be called during component setup; ends with the component. */
export const createEventFeed = (): EventFeed => {
  let rows = $state.raw<readonly EventRow[]>([])
  let problem = $state.raw<Problem>()
  let isLoading = $state(true)
  let isPaused = $state(false)
  let held = $state(0)
  const byKey = new Map<string, EventRow>()
  let waiting: StewardEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The read position of the stream. */
  let readTo: string | undefined
  /** Rows are missing before the next ones, so the list is reloaded instead of showing a gap. */
  let beginsAnew = false

  const draw = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isPaused) {
      held = waiting.length
      return
    }
    if (beginsAnew) {
      rows = []
      byKey.clear()
      beginsAnew = false
    }
    const changed = new Map<string, EventRow>()
    for (const event of waiting) {
      const key = keyOf(event)
      changed.set(key, joinEvent(changed.get(key) ?? byKey.get(key), key, event))
    }
    waiting = []
    held = 0
    for (const [key, row] of changed) byKey.set(key, row)
    const merged = mergeRows(rows, changed, MAX_ROWS)
    for (const { key } of merged.dropped) byKey.delete(key)
    rows = merged.rows
  }
  const take = (events: readonly StewardEvent[]): void => {
    waiting.push(...events)
    // A page paused for hours keeps only as many as it would show.
    if (waiting.length > MAX_ROWS) waiting = waiting.slice(-MAX_ROWS)
    timer ??= setTimeout(draw, GATHER_MS)
  }
  const loadRecent = async (): Promise<void> => {
    try {
      const { events } = await daemon.call('listRecentEvents')
      take(events)
      // Rendered immediately, because an empty list would look like a day without events.
      draw()
      problem = undefined
    } catch (thrown) {
      problem = toProblem(thrown)
      sawDaemon(problem.kind !== 'unreachable')
    } finally {
      isLoading = false
    }
  }

  /** The position up to which the history was read, for the filter of the page. */
  let reading = $state.raw<{ filter: string; next: string | null }>()
  let total = $state<number>()
  const readOlder = async (filter: string, before?: string): Promise<void> => {
    try {
      const q = filter.trim()
      const page = await daemon.call('listEvents', {
        query: { ...(q === '' ? {} : { q }), ...(before === undefined ? {} : { before }) },
      })
      // Another filter may have been chosen meanwhile.
      if (reading?.filter !== filter) return
      reading = { filter, next: page.next }
      total = page.total
      problem = undefined
      take(page.events)
      draw()
    } catch (thrown) {
      problem = toProblem(thrown)
    }
  }

  const urlOf = (): string =>
    daemon.urlOf('streamEvents', { query: readTo === undefined ? {} : { after: readTo } })
  const listen = (source: EventSource): void => {
    for (const kind of ['ready', 'message', 'resync']) {
      source.addEventListener(kind, ({ lastEventId }) => {
        readTo = lastEventId
      })
    }
    source.addEventListener('message', ({ data }) => {
      if (total !== undefined) total += 1
      take([JSON.parse(String(data))])
    })
    // Events between the first load and this moment were not sent.
    source.addEventListener('ready', () => void loadRecent())
    // Too many events were missed to replay them.
    source.addEventListener('resync', () => {
      beginsAnew = true
      void loadRecent()
    })
  }
  const loadUnlessResumed = (): void => {
    if (readTo === undefined) void loadRecent()
  }
  const follow = (): (() => void) => {
    loadUnlessResumed()
    return openLastingStream(urlOf, listen, loadUnlessResumed)
  }
  $effect(() => whileVisible(follow))
  $effect(() => () => clearTimeout(timer))

  return {
    get rows() {
      return rows
    },
    get problem() {
      return problem
    },
    get isLoading() {
      return isLoading
    },
    get isPaused() {
      return isPaused
    },
    get held() {
      return held
    },
    get total() {
      return total
    },
    get hasOlder() {
      return typeof reading?.next === 'string'
    },
    find: async (filter) => {
      reading = { filter, next: null }
      await readOlder(filter)
    },
    loadOlder: async () => {
      if (reading !== undefined && reading.next !== null) {
        await readOlder(reading.filter, reading.next)
      }
    },
    pause: () => {
      isPaused = true
    },
    goOn: () => {
      isPaused = false
      draw()
    },
  }
}
