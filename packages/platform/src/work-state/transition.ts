import type { WorkState } from '@steward/contract'

/** What a transition gives: the state after it (the same one when nothing changed) and what it did. */
export interface Transition<T> {
  state: WorkState
  outcome: T
}
