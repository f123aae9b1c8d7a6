import { StewardError } from '@steward/contract'
import type { ArchiveIndex, IndexedNote } from '../notes/index/archive-index.ts'
import { neighbourhoodOf } from '../notes/index/neighbourhood.ts'
import type { WikiDocument } from './describe-draft.ts'
import type { DocumentCatalog } from './document-catalog.ts'
import { noteId } from './note-entries.ts'

export interface WikiGraph {
  nodes: {
    id: string
    title: string
    category: string
    group: string
    quality?: number
    backlinkCount: number
  }[]
  edges: { source: string; target: string }[]
}

/** All documents have one category in the graph; notes have that of their type. */
export const DOCUMENT_CATEGORY = 'system-doc'
export const NOTE_GROUP = 'knowledge'

/** Documents, notes and the links between them, without duplicates per direction. */
export const buildWikiGraph = (catalog: DocumentCatalog, archive: ArchiveIndex): WikiGraph => {
  const counts = new Map<string, number>()
  const edges: WikiGraph['edges'] = []
  const link = (source: string, targets: Iterable<string | undefined>): void => {
    for (const target of new Set(targets)) {
      if (target === undefined || target === source) continue
      counts.set(target, (counts.get(target) ?? 0) + 1)
      edges.push({ source, target })
    }
  }
  const documents = [...catalog.all()]
  const notes = [...archive.notes(), ...archive.maps()]
  for (const document of documents) link(document.id, targetsOfDocument(document, catalog, archive))
  for (const note of notes) link(noteId(note), targetsOfNote(note, catalog, archive))
  const countOf = (id: string): number => counts.get(id) ?? 0
  return {
    nodes: [
      ...documents.map(({ id, title, group }) => ({
        id,
        title,
        category: DOCUMENT_CATEGORY,
        group,
        backlinkCount: countOf(id),
      })),
      ...notes.map((note) => ({
        id: noteId(note),
        title: note.title,
        category: note.type,
        group: NOTE_GROUP,
        quality: note.quality,
        backlinkCount: countOf(noteId(note)),
      })),
    ],
    edges,
  }
}

const targetsOfDocument = (
  document: WikiDocument,
  catalog: DocumentCatalog,
  archive: ArchiveIndex,
): (string | undefined)[] => [
  ...document.names.map((name) => nameTarget(name, catalog, archive)),
  ...document.paths.map((path) => catalog.resolvePath(document, path)?.id),
]

/** Resolves `[[name]]` in a document: to a document, or else to a note. */
export const nameTarget = (
  name: string,
  catalog: DocumentCatalog,
  archive: ArchiveIndex,
): string | undefined => {
  const document = catalog.resolveName(name)
  if (document !== undefined) return document.id
  const note = archive.resolve(name.replace(/^knowledge\//, ''), 'People')
  return note === undefined ? undefined : noteId(note)
}

const targetsOfNote = (
  { targets, domain }: IndexedNote,
  catalog: DocumentCatalog,
  archive: ArchiveIndex,
): (string | undefined)[] =>
  targets.map((target) => {
    const note = archive.resolve(target, domain)
    return note === undefined ? catalog.resolveName(target)?.id : noteId(note)
  })

/** The part of a graph within some steps of a document or note. */
export const cutWikiGraph = (graph: WikiGraph, around: string, depth: number): WikiGraph => {
  if (!graph.nodes.some(({ id }) => id === around)) {
    throw new StewardError('not_found', { what: 'document', name: around })
  }
  return neighbourhoodOf(graph, around, depth)
}
