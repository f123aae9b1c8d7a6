import type { StewardEvent } from '@steward/contract'
import { sawDaemon } from '../../live/connection.svelte.ts'
import { daemon } from '../../live/daemon.ts'
import { openLastingStream } from '../../live/lasting-stream.ts'
import { type Problem, toProblem } from '../../live/problem.ts'
import { whileVisible } from '../../live/while-visible.ts'
import { type EventRow, joinEvent, keyOf } from './join-events.ts'
import { mergeRows } from './merge-rows.ts'

/** More than this many rows are forgotten, oldest first. */
const MAX_ROWS = 10_000
/** A burst is drawn once. */
const GATHER_MS = 100

export interface EventFeed {
  /** Newest first. */
  readonly rows: readonly EventRow[]
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  readonly isPaused: boolean
  /** Events that came since it was paused. */
  readonly held: number
  pause: () => void
  goOn: () => void
}

/** The events as they happen. For use while a component is set up: it ends with the component. */
export const createEventFeed = (): EventFeed => {
  let rows = $state.raw<readonly EventRow[]>([])
  let problem = $state.raw<Problem>()
  let isLoading = $state(true)
  let isPaused = $state(false)
  let held = $state(0)
  const byKey = new Map<string, EventRow>()
  let waiting: StewardEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** How far the stream was read. */
  let readTo: string | undefined
  /** Between what is shown and what comes next something is missing: a list with a hole would lie. */
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
    // A page that is paused for hours holds no more than it would show.
    if (waiting.length > MAX_ROWS) waiting = waiting.slice(-MAX_ROWS)
    timer ??= setTimeout(draw, GATHER_MS)
  }
  const loadRecent = async (): Promise<void> => {
    try {
      const { events } = await daemon.call('listRecentEvents')
      take(events)
      // Loaded and not drawn yet would look like a day without events.
      draw()
      problem = undefined
    } catch (thrown) {
      problem = toProblem(thrown)
      sawDaemon(problem.kind !== 'unreachable')
    } finally {
      isLoading = false
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
    source.addEventListener('message', ({ data }) => take([JSON.parse(String(data))]))
    // What happened between the first look and this moment was not sent.
    source.addEventListener('ready', () => void loadRecent())
    // What was missed is too much to be sent one by one.
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
    pause: () => {
      isPaused = true
    },
    goOn: () => {
      isPaused = false
      draw()
    },
  }
}
