import type { FlowItem } from './item.ts'

export interface ChosenItems {
  found: number
  alreadySeen: number
  /** New, but beyond the limit of one run; the next run gets them. */
  postponed: number
  items: FlowItem[]
}

/**
 * The items of a source for this run: unsettled ones, deduplicated by identity, up to the limit.
 */
export const chooseItems = (
  found: readonly FlowItem[],
  isSettled: (itemId: string) => boolean,
  limit: number,
): ChosenItems => {
  const fresh = new Map<string, FlowItem>()
  for (const item of found) {
    if (!fresh.has(item.id) && !isSettled(item.id)) fresh.set(item.id, item)
  }
  const items = [...fresh.values()].slice(0, limit)
  return {
    found: found.length,
    alreadySeen: found.length - fresh.size,
    postponed: fresh.size - items.length,
    items,
  }
}
