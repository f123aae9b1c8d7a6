import { StewardError } from '@steward/contract'
import { keyOf, parseKey } from '../note-place.ts'
import type { ArchiveIndex, IndexedNote } from './archive-index.ts'
import { linkedFrom } from './linked-from.ts'
import { neighbourhoodOf } from './neighbourhood.ts'

export interface KnowledgeGraph {
  nodes: { id: string; title: string; category: string; quality: number; backlinkCount: number }[]
  edges: { source: string; target: string }[]
}

/** Notes and the links between them, without duplicates per direction. */
export const buildGraph = (index: ArchiveIndex): KnowledgeGraph => {
  const notes = index.notes()
  const idByNote = new Map(notes.map((note) => [note, keyOf(note)]))
  const counts = new Map<IndexedNote, number>()
  const edges: KnowledgeGraph['edges'] = []
  for (const [note, source] of idByNote) {
    for (const other of linkedFrom(index, note)) {
      const target = idByNote.get(other)
      if (target === undefined) continue
      counts.set(other, (counts.get(other) ?? 0) + 1)
      edges.push({ source, target })
    }
  }
  const nodes = notes.map((note) => ({
    id: idByNote.get(note) ?? keyOf(note),
    title: note.title,
    category: note.type,
    quality: note.quality,
    backlinkCount: counts.get(note) ?? 0,
  }))
  return { nodes, edges }
}

/** The part of a graph within some steps of a note. */
export const cutGraph = (graph: KnowledgeGraph, around: string, depth: number): KnowledgeGraph => {
  const place = parseKey(around)
  const center = place === undefined ? around : keyOf(place)
  if (!graph.nodes.some(({ id }) => id === center)) {
    throw new StewardError('not_found', { what: 'note', name: around })
  }
  return neighbourhoodOf(graph, center, depth)
}
