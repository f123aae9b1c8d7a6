import type { FlowItemView, ItemState } from '@steward/contract'

/** Whether a retry without naming items includes this one. */
export const isRetryable = ({ state, attempts }: FlowItemView): boolean =>
  state === 'waiting' || state === 'given-up' || (state === 'found' && attempts > 0)

const TONES: Partial<Record<ItemState, 'good' | 'warn' | 'bad'>> = {
  delivered: 'good',
  waiting: 'warn',
  rejected: 'bad',
  'given-up': 'bad',
}

/** The colour of an item's state. */
export const toneOfItem = ({ state, error }: FlowItemView): 'neutral' | 'good' | 'warn' | 'bad' =>
  TONES[state] ?? (error === null ? 'neutral' : 'warn')
