import { type Database, isDamaged, SQLITE, sqliteCodeOf, toStorageError } from '@steward/platform'
import { z } from 'zod'
import { findDocuments, type SearchAnswer, type SearchOptions } from './find-documents.ts'
import { foldWords } from './fold-words.ts'
import { expandQuery } from './match-groups.ts'
import { parseQuery } from './parse-query.ts'
import { openSearchDatabase, replaceSearchDatabase } from './search-database.ts'
import type { SearchDocument } from './search-document.ts'
import { prepareStatements, type SearchStatements } from './search-statements.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

export interface SearchPorts {
  file: string
  now: () => number
  warn: (message: string) => void
  /** The index was damaged and is now empty, so it must be refilled. */
  onReset?: () => void
}

export interface SearchIndex {
  /** Adds or replaces documents atomically. */
  put: (documents: readonly SearchDocument[]) => void
  remove: (ids: readonly string[]) => void
  /** Entries of a kind: versions and stored data. */
  entries: (kind: string) => { id: string; mark: string; data: string }[]
  search: (query: string, options?: SearchOptions) => SearchAnswer
  close: () => void
}

const entryRow = z.object({ id: z.string(), mark: z.string(), data: z.string() })
/** The full-text index of documents and notes, in one file that can be rebuilt. */
export const openSearchIndex = ({ file, now, warn, onReset }: SearchPorts): SearchIndex => {
  let statements = openStatements(file, warn)
  let vocabulary: Vocabulary | undefined

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

  return {
    put: (documents) =>
      use((to) =>
        to.database.writeNow(() => {
          for (const document of documents) {
            const terms = storeDocument(to, document)
            vocabulary?.add(terms)
          }
        }),
      ),
    remove: (ids) =>
      use((to) =>
        to.database.writeNow(() => {
          for (const id of ids) forgetDocument(to, id)
        }),
      ),
    entries: (kind) => use(({ entries }) => entries.all(kind).map((row) => entryRow.parse(row))),
    search: (query, options = {}) =>
      use((from) =>
        findDocuments(from, expandQuery(parseQuery(query), lookup), query, options, now()),
      ),
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

/** Replaces a document by its id and returns its words. */
const storeDocument = (to: SearchStatements, document: SearchDocument): string[] => {
  forgetDocument(to, document.id)
  const { sections } = document
  const columns = {
    title: foldWords([document.title, ...document.names].join(' ')),
    tag: foldWords(document.tags.join(' ')),
    heading: foldWords(sections.map(({ heading }) => heading).join(' ')),
    text: foldWords(sections.map(({ text }) => text).join(' ')),
  }
  const { lastInsertRowid } = to.addDocument.run(
    document.id,
    document.kind,
    document.title,
    document.updatedMs,
    document.mark,
    JSON.stringify(sections),
    document.data,
  )
  to.addWords.run(
    lastInsertRowid,
    columns.title.join(' '),
    columns.tag.join(' '),
    columns.heading.join(' '),
    columns.text.join(' '),
  )
  return Object.values(columns).flat()
}

const forgetDocument = (to: SearchStatements, id: string): void => {
  const number = to.numberOf.get(id)?.number
  if (number === undefined) return
  to.removeWords.run(number)
  to.removeDocument.run(number)
}
