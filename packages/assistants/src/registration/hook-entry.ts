/** The daemon's guards that an assistant can ask by HTTP. */
export const GUARD_PATHS = {
  skill: '/hooks/skill-guard',
  agent: '/hooks/agent-guard',
  security: '/hooks/security-guard',
} as const
export type GuardName = keyof typeof GUARD_PATHS

/** One registration of the hook with an assistant. */
export interface HookEntry {
  /** The assistant's own name of the event. */
  event: string
  matcher?: string
  /** The assistant does not wait. Not used for the last events of a run, which would be lost. */
  async: boolean
  timeoutSeconds: number
  /** The hook judges what is about to happen, instead of reporting it. */
  guards?: true
  /** The hook may wait for the person's answer and pass it on. */
  answers?: true
  /** Not the hook: the assistant asks this guard of the daemon. */
  asks?: GuardName
}

/** What distinguishes our registrations for the same event. */
export type HookKind = Pick<HookEntry, 'event' | 'guards' | 'asks'>

/** A hook that the assistant waits for. */
export const waits = (event: string, timeoutSeconds: number, matcher?: string): HookEntry => ({
  event,
  ...(matcher === undefined ? {} : { matcher }),
  async: false,
  timeoutSeconds,
})

/**
 * Longer than a busy machine takes to start a program; afterwards the assistant continues or
 * refuses.
 */
const GUARD_SECONDS = 10

/** A hook that judges; it works without a daemon. */
export const guards = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, GUARD_SECONDS, matcher),
  guards: true,
})

/** A daemon that hangs must not delay every call for long. */
const ASK_SECONDS = 1

/** A request to the daemon. It is cheap and fails open. */
export const asks = (guard: GuardName, event: string, matcher?: string): HookEntry => ({
  ...waits(event, ASK_SECONDS, matcher),
  asks: guard,
})

/** A hook that the assistant does not wait for. */
export const goesOn = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, 30, matcher),
  async: true,
})

/** Longer than the longest wait in the settings; the hook ends by itself. */
const ANSWER_SECONDS = 3600
const REPLY_SECONDS = 120

/** A hook that may wait for the person's answer elsewhere. */
export const answersRequest = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, ANSWER_SECONDS, matcher),
  answers: true,
})

/** A hook that may wait for a reply before the turn ends. */
export const repliesTo = (event: string): HookEntry => waits(event, REPLY_SECONDS)
