export { cutWikiGraph, type WikiGraph } from './documents/build-wiki-graph.ts'
export {
  type FollowedDocuments,
  followDocuments,
} from './documents/follow-documents.ts'
export { GROUP_LABELS, listSources, type SourcePlaces } from './documents/list-sources.ts'
export { type LoadedDocuments, loadDocuments } from './documents/load-documents.ts'
export { keyOfNoteId, NOTE_KIND } from './documents/note-entries.ts'
export { addressOf, createWiki, type Wiki, wordsIn } from './documents/open-wiki.ts'
export type { WikiFinding } from './documents/walk-source.ts'
export type { GeneratedDocument, WikiSource } from './documents/wiki-source.ts'
export { applyMendings, type MendingOutcome } from './notes/check/apply-mendings.ts'
export { type ArchiveCheck, checkArchive } from './notes/check/check-archive.ts'
export type { Finding, Mending } from './notes/check/findings.ts'
export { describeNote } from './notes/describe-note.ts'
export { type ArchivePlace, archiveAt } from './notes/files/archive-place.ts'
export { type NoteFile, readNoteFile } from './notes/files/read-note-file.ts'
export { readLastHarvest } from './notes/harvest.ts'
export type { ArchiveIndex, IndexedNote } from './notes/index/archive-index.ts'
export { buildGraph, cutGraph, type KnowledgeGraph } from './notes/index/build-graph.ts'
export * from './notes/index/describe-archive.ts'
export { type FollowedArchive, followArchive } from './notes/index/follow-archive.ts'
export { type LoadedArchive, loadArchive, type NoteChange } from './notes/index/load-archive.ts'
export { type Learned, learnFromWork } from './notes/learn/learn-from-work.ts'
export { type LearnedSession, learnedSessions } from './notes/learn/learned-sessions.ts'
export { renderMap } from './notes/map-of-content.ts'
export { fileOf, keyOf, type NotePlace, parseKey } from './notes/note-place.ts'
export { slugify } from './notes/slugify.ts'
export { createNote, type NewNote } from './notes/write/create-note.ts'
export { type Precondition, readPrecondition } from './notes/write/preconditions.ts'
export { type Renamed, type Renaming, renameNote } from './notes/write/rename-note.ts'
export { saveNote } from './notes/write/save-note.ts'
export { emptyTrash, listTrash, removeNote, restoreNote } from './notes/write/trash.ts'
export { writeFlowNote } from './notes/write/write-flow-note.ts'
export type { LinkPorts } from './render/link-ports.ts'
export { renderLarge } from './render/render-large.ts'
export {
  type Heading,
  type Rendered,
  renderMarkdown,
} from './render/render-markdown.ts'
export type { SearchAnswer, SearchOptions, SearchResult } from './search/find-documents.ts'
export { createLargeIndexing } from './search/index-large.ts'
export * from './search/open-search-index.ts'
export type { SearchDocument, Section } from './search/search-document.ts'
export { splitSections } from './search/split-sections.ts'
export {
  type ExportedFile,
  exportNotes,
  type NotesExport,
} from './transfer/export-notes.ts'
export { type FolderImport, importFolder } from './transfer/import-folder.ts'
export { forgetImport } from './transfer/import-ledger.ts'
