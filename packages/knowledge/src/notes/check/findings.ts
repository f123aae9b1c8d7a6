/** What the maintenance found. `file` is relative to the archive. */
export interface Finding {
  kind: 'broken-link' | 'orphan' | 'duplicate' | 'frontmatter' | 'file'
  file: string
  message: string
  /** What `--fix` does about it; nothing when a person has to decide. */
  fix?: string
}

/** A change of a file that mends something: another text, or another name. */
export interface Mending {
  file: string
  /** The version it starts from. */
  etag: string
  text?: string
  rename?: string
  changes: string[]
}
