/** A part of a document under one heading. */
export interface Section {
  /** The heading's anchor; empty for text before the first. */
  anchor: string
  heading: string
  /** Plain text. */
  text: string
}

export interface SearchDocument {
  id: string
  /** Its kind; searches can be restricted to kinds. */
  kind: string
  title: string
  /** Other names; they count like the title. */
  names: readonly string[]
  tags: readonly string[]
  updatedMs: number
  /** Its version: unchanged documents need not be reread. */
  mark: string
  /** Its Markdown, split where it is stored, or its sections. */
  content: string | readonly Section[]
  /** JSON of the caller, returned unchanged. */
  data: string
}
