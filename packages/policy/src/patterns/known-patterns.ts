/** What a regular expression tells about the texts that it can match. */
export interface KnownPattern {
  /** A text must begin with one of these, where that can be said. */
  letters?: readonly string[]
  /** A text must contain one of these, where that can be said; in lower case. */
  required?: readonly string[]
}

/**
 * Patterns that are described already, by their source. Empty here: scripts/build-hook.ts fills in the
 * built-in ones, because a hook judges a single call and has no time to parse a hundred patterns for it.
 */
export const KNOWN_PATTERNS: ReadonlyMap<string, KnownPattern> = new Map()
