import { StewardError } from '@steward/contract'
import { keyOf, parseKey } from '../note-place.ts'
import type { ArchiveIndex, IndexedNote } from './archive-index.ts'

export interface KnowledgeGraph {
  nodes: { id: string; title: string; category: string; quality: number; backlinkCount: number }[]
  edges: { source: string; target: string }[]
}

/** Notes and the links between them, each pair once in each direction. */
export const buildGraph = (index: ArchiveIndex): KnowledgeGraph => {
  const notes = index.notes()
  const shown = new Set(notes.map(keyOf))
  const counts = new Map<string, number>()
  const edges = notes.flatMap((note) => {
    const source = keyOf(note)
    const targets = new Set(linkedFrom(index, note).map(keyOf))
    targets.delete(source)
    return [...targets]
      .filter((target) => shown.has(target))
      .map((target) => {
        counts.set(target, (counts.get(target) ?? 0) + 1)
        return { source, target }
      })
  })
  const nodes = notes.map((note) => ({
    id: keyOf(note),
    title: note.title,
    category: note.type,
    quality: note.quality,
    backlinkCount: counts.get(keyOf(note)) ?? 0,
  }))
  return { nodes, edges }
}

export const linkedFrom = (index: ArchiveIndex, { targets, domain }: IndexedNote): IndexedNote[] =>
  targets.flatMap((target) => index.resolve(target, domain) ?? [])

/** The part of a graph within some steps of a note. */
export const cutGraph = (graph: KnowledgeGraph, around: string, depth: number): KnowledgeGraph => {
  const place = parseKey(around)
  const center = place === undefined ? around : keyOf(place)
  if (!graph.nodes.some(({ id }) => id === center)) {
    throw new StewardError('not_found', { what: 'note', name: around })
  }
  const neighbours = new Map<string, string[]>()
  for (const { source, target } of graph.edges) {
    for (const [from, to] of [
      [source, target],
      [target, source],
    ] as const) {
      const known = neighbours.get(from)
      if (known === undefined) neighbours.set(from, [to])
      else known.push(to)
    }
  }
  const near = new Set([center])
  let rim = [center]
  for (let step = 0; step < depth; step++) {
    rim = rim.flatMap((id) => neighbours.get(id) ?? []).filter((id) => !near.has(id))
    for (const id of rim) near.add(id)
  }
  return {
    nodes: graph.nodes.filter(({ id }) => near.has(id)),
    edges: graph.edges.filter(({ source, target }) => near.has(source) && near.has(target)),
  }
}
