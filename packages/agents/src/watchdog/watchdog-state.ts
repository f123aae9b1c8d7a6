/** One agent as known to the watchdog. Times are epoch ms unless stated otherwise. */
export interface WatchedAgent {
  session: string
  ids: readonly string[]
  type: string
  description: string
  /** Only `watched` ones are reported. `forgotten` ones return with their next tool call. */
  status: 'watched' | 'foreground' | 'stopped' | 'forgotten'
  startedAt: number
  /** The last start, stop or tool call attributed to it. */
  lastSignAt: number
  /** In watched time: since when no tool call was attributed to it. */
  quietSinceMs: number
  /** In watched time: the last event that named this agent, not merely its session. */
  namedSinceMs: number
  /** Whether this silence was already reported. */
  alerted: boolean
}

/** The state of the watchdog; immutable. */
export interface WatchdogState {
  agents: ReadonlyMap<string, WatchedAgent>
  /** Maps every id of every agent, prefixed with its session, to the agent's key. */
  keyById: ReadonlyMap<string, string>
  /** Sessions whose tool rows name the calling agent. */
  labelled: ReadonlySet<string>
  /**
   * How long the watchdog has really been watching. It stops while the machine sleeps and when the
   * clock is set, so that neither counts as silence.
   */
  watchedMs: number
  /** When it last checked; undefined before the first check. */
  lookedAt: number | undefined
}

export const createWatchdogState = (): WatchdogState => ({
  agents: new Map(),
  keyById: new Map(),
  labelled: new Set(),
  watchedMs: 0,
  lookedAt: undefined,
})

/** Checks at least this often while agents are watched. */
export const WATCHDOG_LOOK_MS = 5_000

/**
 * The longest gap between two checks that counts as watched; longer than a busy machine's delay is
 * a jump.
 */
const LONGEST_STEP_MS = 3 * WATCHDOG_LOOK_MS

export const advanceTime = (
  { watchedMs, lookedAt }: Pick<WatchdogState, 'watchedMs' | 'lookedAt'>,
  now: number,
): Pick<WatchdogState, 'watchedMs' | 'lookedAt'> => {
  const stepMs = lookedAt === undefined ? 0 : Math.max(0, now - lookedAt)
  return { watchedMs: watchedMs + Math.min(stepMs, LONGEST_STEP_MS), lookedAt: now }
}
