import { foldWords } from './fold-words.ts'
import type { SearchDocument, Section } from './search-document.ts'
import type { SearchStatements } from './search-statements.ts'
import { splitSections } from './split-sections.ts'

/** Characters of a document that are searched for the best match. */
export const SNIPPET_CHARS = 400_000

/** Replaces a document by its id and returns its words. */
export const storeDocument = (to: SearchStatements, document: SearchDocument): string[] => {
  forgetDocument(to, document.id)
  const { content } = document
  const sections = typeof content === 'string' ? splitSections(content).sections : content
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
    JSON.stringify(firstSections(sections)),
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

/** As much as is ever searched for the best match. */
const firstSections = (sections: readonly Section[]): Section[] => {
  const first: Section[] = []
  let left = SNIPPET_CHARS
  for (const { anchor, heading, text } of sections) {
    if (left <= 0) break
    first.push({ anchor, heading, text: text.slice(0, SNIPPET_CHARS) })
    left -= text.length + heading.length
  }
  return first
}
