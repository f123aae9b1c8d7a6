import { isMap } from '../note-place.ts'
import type { ArchiveIndex, IndexedNote } from './archive-index.ts'

/** The notes and maps that a note links to, without duplicates and itself. */
export const linkedFrom = (index: ArchiveIndex, note: IndexedNote): Set<IndexedNote> => {
  const linked = new Set<IndexedNote>()
  for (const target of note.targets) {
    const found = index.resolve(target, note.domain)
    if (found !== undefined && found !== note) linked.add(found)
  }
  return linked
}

/** Backlink counts of notes; maps are ignored, because they link to everything. */
export const countBacklinks = (index: ArchiveIndex): Map<IndexedNote, number> => {
  const counts = new Map<IndexedNote, number>()
  for (const note of index.notes()) {
    for (const other of linkedFrom(index, note)) {
      if (!isMap(other)) counts.set(other, (counts.get(other) ?? 0) + 1)
    }
  }
  return counts
}
