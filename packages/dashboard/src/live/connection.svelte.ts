import type { LiveTopic } from '@steward/contract'
import { daemon } from './daemon.ts'
import { toProblem } from './problem.ts'

/**
 * `live`: changes arrive as they happen. `polling`: they are asked for every three seconds, because
 * the stream is cut. `offline`: the daemon does not answer at all.
 */
export type ConnectionState = 'connecting' | 'live' | 'polling' | 'offline'

const POLL_MS = 3000

interface Listener {
  topics: readonly LiveTopic[]
  refresh: () => void
}

let state = $state<ConnectionState>('connecting')
const listeners = new Set<Listener>()
let source: EventSource | undefined
let poll: ReturnType<typeof setInterval> | undefined

export const connectionState = (): ConnectionState => state

/** Calls `refresh` when something of these topics changed, or may have changed unseen. */
export const onChange = (topics: readonly LiveTopic[], refresh: () => void): (() => void) => {
  if (topics.length === 0) return () => undefined
  const listener = { topics, refresh }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** What every call of the page learns about the daemon on its way. */
export const sawDaemon = (answered: boolean): void => {
  if (answered && state === 'offline') state = 'polling'
  if (!answered && state !== 'live') state = 'offline'
}

const refreshAll = (): void => {
  for (const { refresh } of listeners) refresh()
}

/** A page whose data does not come by calls would never learn that nobody is there. */
const askWhetherUp = async (): Promise<void> => {
  try {
    await daemon.call('getAuth')
    sawDaemon(true)
  } catch (thrown) {
    sawDaemon(toProblem(thrown).kind !== 'unreachable')
  }
}

const stopPolling = (): void => {
  clearInterval(poll)
  poll = undefined
}

const open = (): void => {
  source = new EventSource(daemon.urlOf('streamChanges'))
  source.addEventListener('open', () => {
    // What happened while the stream was cut was not told.
    const wasCut = state !== 'connecting'
    state = 'live'
    stopPolling()
    if (wasCut) refreshAll()
  })
  source.addEventListener('changed', ({ data }) => {
    const topics: unknown = JSON.parse(String(data))
    if (!Array.isArray(topics)) return
    for (const listener of listeners) {
      if (listener.topics.some((topic) => topics.includes(topic))) listener.refresh()
    }
  })
  source.addEventListener('error', () => {
    if (state !== 'offline') state = 'polling'
    poll ??= setInterval(() => {
      // A browser gives a stream up that was refused once; the daemon may be back by now.
      if (source?.readyState === EventSource.CLOSED) reopen()
      void askWhetherUp()
      refreshAll()
    }, POLL_MS)
  })
}

const close = (): void => {
  source?.close()
  source = undefined
  stopPolling()
}

const reopen = (): void => {
  source?.close()
  open()
}

let keepers = 0

/** Lets the stream go on while the page is hidden, for whoever tells the person of it elsewhere. */
export const keepWhileHidden = (): (() => void) => {
  keepers += 1
  if (source === undefined) open()
  return () => {
    keepers -= 1
    if (keepers === 0 && document.visibilityState === 'hidden') close()
  }
}

/**
 * Opens the one stream of this page. A hidden page has none, unless something keeps it: see
 * `whileVisible`.
 */
export const connect = (): (() => void) => {
  const onVisibility = (): void => {
    if (document.visibilityState === 'hidden') {
      if (keepers === 0) close()
      return
    }
    if (source !== undefined) return
    open()
    refreshAll()
  }
  open()
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
}
