import { type Database, isDamaged, SQLITE, sqliteCodeOf, toStorageError } from '@steward/platform'
import { z } from 'zod'
import { findDocuments, type SearchAnswer, type SearchOptions } from './find-documents.ts'
import { isLarge, type LargeIndexing } from './index-large.ts'
import { expandQuery } from './match-groups.ts'
import { parseQuery } from './parse-query.ts'
import { openSearchDatabase, replaceSearchDatabase } from './search-database.ts'
import type { SearchDocument } from './search-document.ts'
import { prepareStatements, type SearchStatements } from './search-statements.ts'
import { forgetDocument, storeDocument } from './store-document.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

export interface SearchPorts {
  file: string
  now: () => number
  warn: (message: string) => void
  /** The index was damaged and is now empty, so it must be refilled. */
  onReset?: () => void
  /** Where long documents are stored; in this thread by default. */
  large?: Pick<LargeIndexing, 'store'>
}

export interface SearchIndex {
  /**
   * Adds or replaces documents: short ones at once and atomically, unless a long one is being stored,
   * and long ones one after the other.
   */
  put: (documents: readonly SearchDocument[]) => Promise<void>
  remove: (ids: readonly string[]) => Promise<void>
  /** Entries of a kind: versions and stored data. */
  entries: (kind: string) => { id: string; mark: string; data: string }[]
  search: (query: string, options?: SearchOptions) => Promise<SearchAnswer>
  close: () => void
}

const entryRow = z.object({ id: z.string(), mark: z.string(), data: z.string() })
/** The full-text index of documents and notes, in one file that can be rebuilt. */
export const openSearchIndex = (ports: SearchPorts): SearchIndex => {
  const { file, now, warn, onReset, large } = ports
  let statements = openStatements(file, warn)
  let vocabulary: Vocabulary | undefined
  /** A long document is being stored elsewhere; writing meanwhile would block this thread. */
  let storing: Promise<void> | undefined

  /** Rebuilds a damaged file and retries once. */
  const use = <T>(work: (with_: SearchStatements) => T): T => {
    try {
      return work(statements)
    } catch (thrown) {
      if (!isDamaged(thrown)) throw toStorageError(file, thrown)
      closeQuietly(statements.database, warn)
      statements = prepareStatements(replaceSearchDatabase(file, warn, thrown))
      vocabulary = undefined
      onReset?.()
      return work(statements)
    }
  }
  const words = (): Vocabulary => {
    vocabulary ??= createVocabulary(statements.terms.all().map(({ term }) => String(term)))
    return vocabulary
  }
  const lookup = {
    has: (term: string) => statements.hasTerm.get(term) !== undefined,
    hasPrefix: (prefix: string) =>
      statements.hasPrefix.get(prefix, `${prefix}\u{10FFFF}`) !== undefined,
    nearTo: (term: string) => words().nearTo(term),
  }

  const write = async (work: (to: SearchStatements) => void): Promise<void> => {
    while (storing !== undefined) await storing
    use((to) => to.database.writeNow(() => work(to)))
  }
  const storeElsewhere = async (
    { store }: Pick<LargeIndexing, 'store'>,
    document: SearchDocument,
  ): Promise<void> => {
    while (storing !== undefined) await storing
    const stored = store(document, file)
    storing = stored.then(forgetStoring, forgetStoring)
    await stored
    vocabulary = undefined
  }
  const forgetStoring = (): void => {
    storing = undefined
  }

  return {
    put: async (documents) => {
      const elsewhere = documents.filter(
        ({ content }) => large !== undefined && typeof content === 'string' && isLarge(content),
      )
      const here = documents.filter((document) => !elsewhere.includes(document))
      if (here.length > 0) {
        await write((to) => {
          for (const document of here) {
            const terms = storeDocument(to, document)
            vocabulary?.add(terms)
          }
        })
      }
      for (const document of elsewhere) {
        if (large !== undefined) await storeElsewhere(large, document)
      }
    },
    remove: (ids) =>
      write((to) => {
        for (const id of ids) forgetDocument(to, id)
      }),
    entries: (kind) => use(({ entries }) => entries.all(kind).map((row) => entryRow.parse(row))),
    search: (query, options = {}) => {
      const groups = use(() => expandQuery(parseQuery(query), lookup))
      return findDocuments(use, groups, query, options, now())
    },
    close: () => closeQuietly(statements.database, warn),
  }
}

/** A file may open and still be damaged: its tables are first accessed here. */
const openStatements = (file: string, warn: (message: string) => void): SearchStatements => {
  const database = openSearchDatabase(file, warn)
  try {
    return prepareStatements(database)
  } catch (thrown) {
    closeQuietly(database, warn)
    if (!isDamaged(thrown) && sqliteCodeOf(thrown) !== SQLITE.error) {
      throw toStorageError(file, thrown)
    }
    return prepareStatements(replaceSearchDatabase(file, warn, thrown))
  }
}

/** A damaged file may not even close in order. */
const closeQuietly = (database: Database, warn: (message: string) => void): void => {
  database.close().catch((thrown: unknown) => {
    warn(`the search index did not close cleanly: ${String(thrown)}`)
  })
}
