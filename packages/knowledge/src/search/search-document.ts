/** A part of a document under one heading. */
export interface Section {
  /** The heading's anchor; empty for what stands before the first. */
  anchor: string
  heading: string
  /** Plain text. */
  text: string
}

export interface SearchDocument {
  id: string
  /** What kind of thing it is: searches can be kept to some. */
  kind: string
  title: string
  /** Other names it goes by; they count as the title does. */
  names: readonly string[]
  tags: readonly string[]
  updatedMs: number
  /** Names this version: who fills the index need not read what has its mark already. */
  mark: string
  sections: readonly Section[]
  /** JSON of whoever fills the index, handed back as it is. */
  data: string
}
