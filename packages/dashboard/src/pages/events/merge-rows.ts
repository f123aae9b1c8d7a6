import type { EventRow } from './join-events.ts'

/**
 * Merges changed rows into the sorted ones, newest first, and separates those beyond `most`. One
 * pass over sorted lists: a burst among ten thousand rows needs no full sort.
 */
export const mergeRows = (
  rows: readonly EventRow[],
  changed: ReadonlyMap<string, EventRow>,
  most: number,
): { rows: EventRow[]; dropped: EventRow[] } => {
  const fresh = [...changed.values()].sort((one, other) => other.atMs - one.atMs)
  const merged: EventRow[] = []
  let at = 0
  for (const row of rows) {
    if (changed.has(row.key)) continue
    for (let next = fresh[at]; next !== undefined && next.atMs >= row.atMs; next = fresh[at]) {
      merged.push(next)
      at += 1
    }
    merged.push(row)
  }
  merged.push(...fresh.slice(at))
  return { dropped: merged.splice(most), rows: merged }
}
