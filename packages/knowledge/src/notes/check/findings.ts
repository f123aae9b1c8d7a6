/** A finding of the check. `file` is relative to the archive. */
export interface Finding {
  kind: 'broken-link' | 'orphan' | 'duplicate' | 'frontmatter' | 'file'
  file: string
  message: string
  /** The change that `--fix` makes; undefined if a person must decide. */
  fix?: string
}

/** A fix for a file: a new text or a new name. */
export interface Mending {
  file: string
  /** The version that it is based on. */
  etag: string
  text?: string
  rename?: string
  changes: string[]
}
