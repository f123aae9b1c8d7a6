import type { Effort, ModelTier, Phase } from '@steward/contract'
import type { Routing } from './routing.ts'

/** The fields of a named agent that routing needs. */
export interface RosterEntry {
  name: string
  /** Other names it answers to. */
  aliases?: readonly string[]
  /** Its purpose in words: `primary researcher`. */
  role?: string
  /** The subagent type that runs it; derived from the role if missing. */
  type?: string
  tier?: ModelTier
}

/** Context besides the request. Missing parts are read from the request's words. */
export interface RouteContext {
  effort?: Effort
  phase?: Phase
  unattended?: boolean
  roster?: readonly RosterEntry[]
  /** Defaults to the built-in table. */
  routing?: Routing
}
