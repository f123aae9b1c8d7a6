import { openIndexFile } from './search-database.ts'
import type { SearchDocument } from './search-document.ts'
import { prepareStatements } from './search-statements.ts'
import { splitSections, type TextOutline } from './split-sections.ts'
import { storeDocument } from './store-document.ts'

/** A document goes into the index in that file. */
export type SentText = { markdown: string } | { document: SearchDocument; file: string }

/** Runs in a thread. A damaged index is mended by the thread that searches it. */
export const read = async (sent: SentText): Promise<TextOutline> => {
  if ('markdown' in sent) {
    const { sections: _, ...outline } = splitSections(sent.markdown)
    return outline
  }
  const database = openIndexFile(sent.file)
  try {
    const statements = prepareStatements(database)
    database.writeNow(() => storeDocument(statements, sent.document))
  } finally {
    await database.close()
  }
  return { summary: '' }
}
