import type { FlowItem } from './item.ts'

export interface ChosenItems {
  found: number
  alreadySeen: number
  /** New, but beyond what one run takes; the next run gets them. */
  postponed: number
  items: FlowItem[]
}

/** Which of a source’s items this run works on: unsettled ones, each identity once, up to the limit. */
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
