import type { FlowItemView, ItemState, OpenItems } from '@steward/contract'

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

/** `3 waiting, 1 given up`; undefined if nothing is open. */
export const describeOpenItems = ({
  waiting,
  failing,
  givenUp,
  rejected,
}: OpenItems): string | undefined => {
  const parts = [
    [waiting, 'waiting'],
    [failing, 'failing'],
    [givenUp, 'given up'],
    [rejected, 'rejected'],
  ] as const
  const open = parts.filter(([count]) => count > 0)
  if (open.length === 0) return undefined
  return `Items: ${open.map(([count, word]) => `${count} ${word}`).join(', ')}`
}
