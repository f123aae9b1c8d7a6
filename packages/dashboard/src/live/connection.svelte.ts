import type { LiveTopic } from '@steward/contract'
import { daemon } from './daemon.ts'
import { toProblem } from './problem.ts'

/**
 * `live`: changes arrive immediately. `polling`: the stream is cut, so changes are requested every
 * three seconds. `offline`: the daemon does not answer.
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

/** Calls `refresh` when one of these topics changed or may have changed unseen. */
export const onChange = (topics: readonly LiveTopic[], refresh: () => void): (() => void) => {
  if (topics.length === 0) return () => undefined
  const listener = { topics, refresh }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Called after every request with whether the daemon answered. */
export const sawDaemon = (answered: boolean): void => {
  if (answered && state === 'offline') state = 'polling'
  if (!answered && state !== 'live') state = 'offline'
}

const refreshAll = (): void => {
  for (const { refresh } of listeners) refresh()
}

/** A page that makes no requests would never notice that the daemon is gone. */
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
    // Changes during the cut were not reported.
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
      // A browser gives up a stream that was refused once; the daemon may be back by now.
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

/** Keeps the stream open while the page is hidden, for browser notifications. */
export const keepWhileHidden = (): (() => void) => {
  keepers += 1
  if (source === undefined) open()
  return () => {
    keepers -= 1
    if (keepers === 0 && document.visibilityState === 'hidden') close()
  }
}

/**
 * Opens the only stream of this page. A hidden page has none, unless something keeps it: see
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
