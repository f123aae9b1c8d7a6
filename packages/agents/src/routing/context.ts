import type { Effort, ModelTier, Phase } from '@steward/contract'
import type { Routing } from './routing.ts'

/** A named agent as routing needs it. */
export interface RosterEntry {
  name: string
  /** Other names it answers to. */
  aliases?: readonly string[]
  /** What it is for, in words: `primary researcher`. */
  role?: string
  /** The subagent type that runs it; found from the role when missing. */
  type?: string
  tier?: ModelTier
}

/** What is known beside the request. Whatever is missing is read from the request's words. */
export interface RouteContext {
  effort?: Effort
  phase?: Phase
  unattended?: boolean
  roster?: readonly RosterEntry[]
  /** The default table unless given. */
  routing?: Routing
}
