import { foldWords } from './fold-words.ts'
import type { SearchDocument } from './search-document.ts'
import type { SearchStatements } from './search-statements.ts'

/** Puts a document in place of the one with its id, and returns its words. */
export const storeDocument = (to: SearchStatements, document: SearchDocument): string[] => {
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

export const forgetDocument = (to: SearchStatements, id: string): void => {
  const number = to.numberOf.get(id)?.number
  if (number === undefined) return
  to.removeWords.run(number)
  to.removeDocument.run(number)
}
