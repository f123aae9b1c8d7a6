import type { EventRow } from './join-events.ts'

/**
 * The rows with the changed ones in their places, newest first, and those beyond `most` apart. One
 * walk over what is sorted already: a burst among ten thousand rows costs no sort of all of them.
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
