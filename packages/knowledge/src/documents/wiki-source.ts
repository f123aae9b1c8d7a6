/** A document before it has an id: what a file, or a part of one, says. */
export interface Draft {
  /** Below the source's key; `/` between its parts. */
  path: string
  /** Without frontmatter. */
  markdown: string
  title?: string
  summary?: string
  tags: readonly string[]
  /** Names of other documents that its fields name. */
  related: readonly string[]
}

/** Makes documents of a file's text. */
export type ReadDrafts = (text: string, relative: string) => Draft[]

/** A folder that the wiki has documents of. Its path never leaves the process; its key does. */
export interface WikiSource {
  /** What ids of its documents begin with: `docs`, `skills/claude`, a directory's name. */
  key: string
  group: string
  root: string
  /** How far below its root files are looked for. */
  depth: number
  /** How a file is read; nothing for files that are none of its documents. */
  readerOf: (relative: string) => ReadDrafts | undefined
}

/** A document that is in no file. */
export interface GeneratedDocument extends Draft {
  group: string
  key: string
}
