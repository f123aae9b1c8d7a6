import { HOSTED_LIMITS } from '@steward/contract'

export interface Advice {
  minutes: number
  worthIt: boolean
  reason: string
  sessionHours: number
  /** What the time costs, without the tokens. */
  sessionDollars: number
}

/** Spec 3, Limits: tasks under 30 minutes are not worth the coordination overhead. */
const BREAK_EVEN_MINUTES = 30
const NANO = 1e9

/** Whether work of this length is worth a hosted session. */
export const adviseOn = (minutes: number): Advice => {
  const worthIt = minutes >= BREAK_EVEN_MINUTES
  const sessionHours = minutes / 60
  return {
    minutes,
    worthIt,
    reason: worthIt
      ? `from ${BREAK_EVEN_MINUTES} minutes on, running without you outweighs setting it up and checking it`
      : `under ${BREAK_EVEN_MINUTES} minutes, setting it up and checking it takes longer than it saves; do it in your assistant`,
    sessionHours,
    sessionDollars: (sessionHours * HOSTED_LIMITS.sessionHourNanoDollars) / NANO,
  }
}
