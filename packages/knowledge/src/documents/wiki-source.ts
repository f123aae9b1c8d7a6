/** A document before it has an id: the content of a file or of a part of it. */
export interface Draft {
  /** Below the source's key; `/` between its parts. */
  path: string
  /** Without frontmatter. */
  markdown: string
  title?: string
  summary?: string
  tags: readonly string[]
  /** Names of related documents from its fields. */
  related: readonly string[]
}

/** Parses the text of a file into documents. */
export type ReadDrafts = (text: string, relative: string) => Draft[]

/** A folder with documents for the wiki. Its path stays in this process; its key is public. */
export interface WikiSource {
  /** The prefix of its documents' ids: `docs`, `skills/claude`, a directory's name. */
  key: string
  group: string
  root: string
  /** How deep below its root files are searched. */
  depth: number
  /** The parser for a file; undefined if the file is not a document. */
  readerOf: (relative: string) => ReadDrafts | undefined
}

/** A document without a file. */
export interface GeneratedDocument extends Draft {
  group: string
  key: string
}
