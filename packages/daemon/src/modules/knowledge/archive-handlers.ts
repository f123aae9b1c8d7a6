import { API, LIMITS } from '@steward/contract'
import {
  type ArchiveIndex,
  type ArchivePlace,
  averageQuality,
  buildGraph,
  cutGraph,
  describeDomains,
  filterNotes,
  type LoadedArchive,
  readLastHarvest,
  refTo,
  summarise,
  topLinked,
  topTags,
} from '@steward/knowledge'
import { type Handler, handle } from '../../module.ts'

const SHOWN_PROBLEMS = 100

/** Search results of a query: keys of notes, best first. */
export type FindNotes = (
  query: string,
  limit: number,
) => Promise<{ keys: readonly string[]; isIndexing: boolean }>

/** The list and graph of the archive, recomputed only after a change. */
export const createArchiveHandlers = (
  archive: ArchivePlace,
  loaded: LoadedArchive,
  findNotes: FindNotes,
): Handler[] => {
  const { index } = loaded
  const graphNow = keepUntilChanged(index, () => buildGraph(index))
  const topLinkedNow = keepUntilChanged(index, () => topLinked(index))
  return [
    handle(API.getKnowledge, async ({ query }) => {
      const { q, tag, domain, limit, offset } = query
      const search =
        q === undefined || q.trim() === ''
          ? undefined
          : await findNotes(q, LIMITS.knowledgeListedNotes)
      const all = index.notes()
      const matched = filterNotes(index, { tag, domain, found: search?.keys })
      return {
        domains: describeDomains(all),
        notes: matched.slice(offset, offset + limit).map(summarise),
        totalNotes: all.length,
        matched: matched.length,
        indexing: search?.isIndexing ?? false,
        avgQuality: averageQuality(all),
        topTags: topTags(all),
        topLinked: topLinkedNow(),
        maps: index.maps().map(refTo),
        lastHarvest: readLastHarvest(archive.root),
        problems: loaded
          .problems()
          .slice(0, SHOWN_PROBLEMS)
          .map(({ file, reason }) => ({ file, reason })),
      }
    }),
    handle(API.getKnowledgeGraph, ({ query: { around, depth } }) =>
      around === undefined ? graphNow() : cutGraph(graphNow(), around, depth),
    ),
  ]
}

const keepUntilChanged = <T>(index: ArchiveIndex, compute: () => T): (() => T) => {
  let known: { version: number; value: T } | undefined
  return () => {
    if (known?.version !== index.version()) {
      known = { version: index.version(), value: compute() }
    }
    return known.value
  }
}
