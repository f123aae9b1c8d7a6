import type { Wiki } from '@steward/knowledge'

export interface DocumentText {
  id: string
  title: string
  group: string
  markdown: string
}

/** A document's current text. */
export const readDocument = ({ documents }: Wiki, id: string): DocumentText | undefined => {
  const document = documents.catalog.get(id)
  const draft = document === undefined ? undefined : documents.read(document)
  if (document === undefined || draft === undefined) return undefined
  const { title, group } = document
  return { id, title, group, markdown: draft.markdown }
}
