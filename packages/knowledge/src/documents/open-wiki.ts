import {
  type KnowledgeDomain,
  StewardError,
  splitFrontMatter,
  toWikiSegment,
  type WikiDocumentAnswer,
  type WikiPage,
  type WikiSearchAnswer,
} from '@steward/contract'
import { readNoteFile } from '../notes/files/read-note-file.ts'
import type { IndexedNote } from '../notes/index/archive-index.ts'
import type { LoadedArchive, NoteChange } from '../notes/index/load-archive.ts'
import { findLinks } from '../notes/links/find-links.ts'
import { parseKey } from '../notes/note-place.ts'
import type { LinkPorts } from '../render/link-ports.ts'
import { type RenderText, renderHere } from '../render/render-large.ts'
import type { Rendered } from '../render/render-markdown.ts'
import type { SearchOptions } from '../search/find-documents.ts'
import type { SearchIndex } from '../search/open-search-index.ts'
import {
  buildWikiGraph,
  DOCUMENT_CATEGORY,
  NOTE_GROUP,
  nameTarget,
  type WikiGraph,
} from './build-wiki-graph.ts'
import type { WikiDocument } from './describe-draft.ts'
import type { LoadedDocuments } from './load-documents.ts'
import { indexAllNotes, indexNoteChanges, keyOfNoteId, NOTE_KIND, noteId } from './note-entries.ts'

export interface WikiPorts {
  documents: LoadedDocuments
  index: SearchIndex
  archive: { root: string; loaded: LoadedArchive }
  warn: (message: string) => void
  /** How texts become HTML. */
  render?: RenderText
}

/** Documents and notes together: listed, searched, linked and shown. */
export interface Wiki {
  documents: LoadedDocuments
  /** Indexes the whole archive; unchanged notes cost nothing. */
  indexNotes: () => Promise<void>
  takeNoteChanges: (changes: readonly NoteChange[]) => Promise<void>
  describe: (id: string) => WikiPage | undefined
  /** The id for a path segment: `docs:feeds` is `docs/feeds`. */
  idOf: (segment: string) => string
  search: (query: string, options?: SearchOptions) => Promise<Omit<WikiSearchAnswer, 'indexing'>>
  /** Keys (`Ideas/slug`) of the matching notes, in the order of `search`. */
  findNotes: (query: string, limit: number) => Promise<string[]>
  show: (id: string) => Promise<WikiDocumentAnswer>
  /** Renders a text as it would appear in that document or note. */
  preview: (text: string, id?: string) => Promise<Rendered>
  /** The number of words of its text; 0 if it cannot be read. */
  countWords: (id: string) => number
  graph: () => WikiGraph
}

/** The dashboard's address of a document or note. */
export const addressOf = (id: string): string => {
  const key = keyOfNoteId(id)
  const encode = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
  return key === undefined ? `/wiki/${encode(id)}` : `/knowledge/${encode(key)}`
}

export const createWiki = ({
  documents,
  index,
  archive,
  warn,
  render = renderHere,
}: WikiPorts): Wiki => {
  const { catalog } = documents
  const notes = archive.loaded.index
  const notePorts = { root: archive.root, archive: archive.loaded, index, warn }
  let known: { version: string; graph: WikiGraph; backlinks: Map<string, string[]> } | undefined

  const graphNow = () => {
    const version = `${catalog.version()} ${notes.version()}`
    if (known?.version !== version) {
      const graph = buildWikiGraph(catalog, notes)
      const backlinks = new Map<string, string[]>()
      for (const { source, target } of graph.edges) {
        const from = backlinks.get(target)
        if (from === undefined) backlinks.set(target, [source])
        else from.push(source)
      }
      known = { version, graph, backlinks }
    }
    return known
  }
  const linksToNow = (): ((id: string) => number) => {
    const { backlinks } = graphNow()
    return (id) => backlinks.get(id)?.length ?? 0
  }
  const noteOf = (id: string): IndexedNote | undefined => {
    const key = keyOfNoteId(id)
    return key === undefined ? undefined : notes.get(key)
  }
  const describe = (id: string): WikiPage | undefined => {
    const document = catalog.get(id)
    if (document !== undefined) return describeDocument(document)
    const note = noteOf(id)
    return note === undefined ? undefined : describeNotePage(note)
  }
  const refer = (id: string) => {
    const page = describe(id)
    if (page === undefined) return []
    const { title, category, address } = page
    return [{ id, title, category, address }]
  }
  const search: Wiki['search'] = async (query, options = {}) => {
    const answer = await index.search(query, { linksTo: linksToNow(), ...options })
    const results = answer.results.flatMap(({ id, score, why, heading, anchor, snippet }) => {
      const page = describe(id)
      if (page === undefined) return []
      const { title, category, address, group, updated } = page
      const excerpt = snippet.map(({ text }) => text).join('')
      return [
        {
          id,
          slug: toWikiSegment(id),
          title,
          category,
          address,
          group,
          updated,
          score,
          why,
          heading,
          anchor,
          snippet,
          excerpt,
        },
      ]
    })
    return { ...answer, results }
  }
  /** Resolves links relative to the document or note with that id. */
  const linksFrom = (id: string | undefined): LinkPorts => {
    const document = id === undefined ? undefined : catalog.get(id)
    const domain = domainOf(id)
    const toAddress = (target: string | undefined) =>
      target === undefined ? undefined : addressOf(target)
    const resolveNote = (name: string, from: KnowledgeDomain) => {
      const note = notes.resolve(name, from)
      return note === undefined ? undefined : noteId(note)
    }
    if (domain !== undefined) {
      return {
        resolveName: (name) =>
          toAddress(resolveNote(name, domain) ?? nameTarget(name, catalog, notes)),
        resolvePath: (path) => {
          const [link] = findLinks(`[x](${path})`, domain)
          return toAddress(link === undefined ? undefined : resolveNote(link.target, domain))
        },
      }
    }
    return {
      resolveName: (name) => toAddress(nameTarget(name, catalog, notes)),
      resolvePath: (path) =>
        toAddress(document === undefined ? undefined : catalog.resolvePath(document, path)?.id),
    }
  }
  const readText = (id: string): string | undefined => {
    const document = catalog.get(id)
    if (document !== undefined) return documents.read(document)?.markdown
    const place = parseKey(keyOfNoteId(id) ?? '')
    const text = place === undefined ? undefined : readNoteFile(archive.root, place)?.text
    return text?.slice(splitFrontMatter(text).bodyStart)
  }

  return {
    documents,
    indexNotes: () => indexAllNotes(notePorts),
    takeNoteChanges: (changes) => indexNoteChanges(notePorts, changes),
    describe,
    idOf: (segment) => {
      const plain = segment.replaceAll(':', '/')
      if (describe(plain) !== undefined) return plain
      // A file name may contain a colon.
      for (const { id } of catalog.all()) if (toWikiSegment(id) === segment) return id
      return plain
    },
    search,
    findNotes: async (query, limit) => {
      const options = { linksTo: linksToNow(), kinds: [NOTE_KIND], limit, snippets: false }
      const { results } = await index.search(query, options)
      return results.flatMap(({ id }) => keyOfNoteId(id) ?? [])
    },
    show: async (id) => {
      const page = describe(id)
      const markdown = page === undefined ? undefined : readText(id)
      if (page === undefined || markdown === undefined) {
        throw new StewardError('not_found', { what: 'document', name: id })
      }
      const rendered = await render(markdown, linksFrom(id))
      const { graph, backlinks } = graphNow()
      const links = graph.edges.filter(({ source }) => source === id)
      return {
        ...page,
        ...rendered,
        markdown,
        links: links.flatMap(({ target }) => refer(target)),
        backlinks: (backlinks.get(id) ?? []).flatMap(refer),
      }
    },
    preview: (text, id) => render(text, linksFrom(id)),
    countWords: (id) => wordsIn(readText(id) ?? ''),
    graph: () => graphNow().graph,
  }
}

export const wordsIn = (text: string): number => text.match(/\S+/g)?.length ?? 0

const describeDocument = ({
  id,
  group,
  title,
  summary,
  tags,
  updatedMs,
}: WikiDocument): WikiPage => ({
  id,
  title,
  category: DOCUMENT_CATEGORY,
  address: addressOf(id),
  group,
  summary,
  tags,
  updated: new Date(updatedMs).toISOString(),
})

const describeNotePage = (note: IndexedNote): WikiPage => ({
  id: noteId(note),
  title: note.title,
  category: note.type,
  address: addressOf(noteId(note)),
  group: NOTE_GROUP,
  summary: '',
  tags: [...note.tags],
  updated: note.updated,
})

const domainOf = (id: string | undefined): KnowledgeDomain | undefined =>
  id === undefined ? undefined : parseKey(keyOfNoteId(id) ?? '')?.domain
