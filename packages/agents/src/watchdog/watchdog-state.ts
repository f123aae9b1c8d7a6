/** One agent as the watchdog knows it. Times are epoch ms unless they say otherwise. */
export interface WatchedAgent {
  session: string
  ids: readonly string[]
  type: string
  description: string
  /** Only `watched` ones are ever spoken of. `forgotten` ones come back with a tool call of their own. */
  status: 'watched' | 'foreground' | 'stopped' | 'forgotten'
  startedAt: number
  /** The last start, stop or tool call that was put down to it. */
  lastSignAt: number
  /** In watched time: since when no tool call was put down to it. */
  quietSinceMs: number
  /** In watched time: the last sign that named this very agent, not merely its session. */
  namedSinceMs: number
  /** Whether this silence was spoken of already. */
  alerted: boolean
}

/** Everything the watchdog remembers; a value, never changed in place. */
export interface WatchdogState {
  agents: ReadonlyMap<string, WatchedAgent>
  /** Every id of every agent, with its session in front, and where the agent is found. */
  keyById: ReadonlyMap<string, string>
  /** Sessions whose tool rows say which agent made the call. */
  labelled: ReadonlySet<string>
  /**
   * How long the watchdog has really been watching. It stands still while the machine sleeps and
   * when the clock is set, so neither is taken for silence.
   */
  watchedMs: number
  /** When it last looked; nothing before the first look. */
  lookedAt: number | undefined
}

export const createWatchdogState = (): WatchdogState => ({
  agents: new Map(),
  keyById: new Map(),
  labelled: new Set(),
  watchedMs: 0,
  lookedAt: undefined,
})

/** Look at least this often while agents are watched. */
export const WATCHDOG_LOOK_MS = 5_000

/** The longest gap between two looks that counts as watched; more than a busy machine's delay is a jump. */
const LONGEST_STEP_MS = 3 * WATCHDOG_LOOK_MS

export const advanceTime = (
  { watchedMs, lookedAt }: Pick<WatchdogState, 'watchedMs' | 'lookedAt'>,
  now: number,
): Pick<WatchdogState, 'watchedMs' | 'lookedAt'> => {
  const stepMs = lookedAt === undefined ? 0 : Math.max(0, now - lookedAt)
  return { watchedMs: watchedMs + Math.min(stepMs, LONGEST_STEP_MS), lookedAt: now }
}
