import { API, KNOWLEDGE_DOMAINS, toWikiSegment, type WikiPage } from '@steward/contract'
import {
  cutWikiGraph,
  GROUP_LABELS,
  type IndexedNote,
  type LoadedArchive,
  type Wiki,
  wordsIn,
} from '@steward/knowledge'
import { type Handler, handle } from '../../module.ts'

const RECENT = 20

export interface WikiHandlerPorts {
  /** Throws until the module has started. */
  wiki: () => Wiki
  archive: LoadedArchive
  isIndexing: () => boolean
  lastIndexedAt: () => string | null
}

export const createWikiHandlers = (ports: WikiHandlerPorts): Handler[] => {
  const { wiki, archive, isIndexing, lastIndexedAt } = ports
  return [
    handle(API.getWiki, ({ query: { group } }) => {
      const { documents, describe } = wiki()
      const pages = [...documents.catalog.all()].flatMap(({ id }) => describe(id) ?? [])
      const counts = new Map<string, number>()
      for (const page of pages) counts.set(page.group, (counts.get(page.group) ?? 0) + 1)
      const notes = archive.index.notes()
      const countOf = (domain: string): number =>
        notes.filter((note) => note.domain === domain).length
      const recentNotes = notes
        .slice(0, RECENT)
        .flatMap(({ domain, slug }) => describe(`knowledge/${domain}/${slug}`) ?? [])
      return {
        groups: [...counts]
          .map(([name, count]) => ({ name, label: GROUP_LABELS[name] ?? name, count }))
          .toSorted((a, b) => compare(a.name, b.name)),
        documents: pages
          .filter((page) => group === undefined || page.group === group)
          .toSorted((a, b) => compare(a.group, b.group) || compare(a.title, b.title)),
        recentChanges: [...pages, ...recentNotes]
          .toSorted((a, b) => Date.parse(b.updated) - Date.parse(a.updated))
          .slice(0, RECENT)
          .map(({ id, title, category, address, updated }) => ({
            id,
            title,
            category,
            address,
            updated,
            slug: toWikiSegment(id),
            lastModified: updated,
            wordCount: wiki().countWords(id),
          })),
        tree: treeOf(pages, notes),
        stats: {
          totalPages: pages.length + notes.length,
          totalSystem: pages.length,
          totalPeople: countOf('People'),
          totalCompanies: countOf('Companies'),
          totalIdeas: countOf('Ideas'),
          totalResearch: countOf('Research'),
        },
        findings: documents.findings(),
        indexing: isIndexing(),
        lastIndexedAt: lastIndexedAt(),
      }
    }),
    handle(API.searchWiki, async ({ query: { q, limit, offset, kind } }) => ({
      ...(await wiki().search(q, {
        limit,
        offset,
        ...(kind === undefined ? {} : { kinds: [kind] }),
      })),
      indexing: isIndexing(),
    })),
    handle(API.getWikiGraph, ({ query: { around, depth } }) => {
      const graph = wiki().graph()
      return around === undefined ? graph : cutWikiGraph(graph, around, depth)
    }),
    handle(API.getWikiPage, async ({ params }) => {
      const page = await wiki().show(wiki().idOf(params.slug))
      return {
        slug: toWikiSegment(page.id),
        title: page.title,
        category: page.category,
        tags: page.tags,
        content: page.markdown,
        html: page.html,
        lastModified: page.updated,
        wordCount: wordsIn(page.markdown),
        wikilinks: page.links.map(({ id }) => toWikiSegment(id)),
      }
    }),
    handle(API.getWikiBacklinks, async ({ params }) => {
      const { backlinks } = await wiki().show(wiki().idOf(params.slug))
      return {
        backlinks: backlinks.map(({ id, title, category }) => ({
          slug: toWikiSegment(id),
          title,
          category,
        })),
      }
    }),
    handle(API.getWikiDocument, ({ params }) => wiki().show(wiki().idOf(params.id))),
    handle(API.previewMarkdown, ({ body: { content, id } }) => wiki().preview(content, id)),
  ]
}

/** Groups of documents, then the domains of notes; empty ones are left out. */
const treeOf = (pages: readonly WikiPage[], notes: readonly IndexedNote[]) => {
  const byGroup = [...Map.groupBy(pages, ({ group }) => group)]
  const groups = byGroup
    .toSorted(([a], [b]) => compare(a, b))
    .map(([group, own]) => ({
      label: GROUP_LABELS[group] ?? group,
      children: own.map(({ id, title, category }) => ({
        label: title,
        slug: toWikiSegment(id),
        category,
      })),
    }))
  const domains = KNOWLEDGE_DOMAINS.map((domain) => ({
    label: domain,
    children: notes
      .filter((note) => note.domain === domain)
      .map(({ slug, title, type }) => ({
        label: title,
        slug: toWikiSegment(`knowledge/${domain}/${slug}`),
        category: type,
      })),
  }))
  return [...groups, ...domains]
    .filter(({ children }) => children.length > 0)
    .map(({ label, children }) => ({
      label,
      count: children.length,
      children: children.toSorted((a, b) => compare(a.label, b.label)),
    }))
}

const compare = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}
