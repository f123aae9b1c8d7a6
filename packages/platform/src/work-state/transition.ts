import type { WorkState } from '@steward/contract'

/** The result of a transition: the new state (identical if nothing changed) and the outcome. */
export interface Transition<T> {
  state: WorkState
  outcome: T
}
