/** Properties of all texts that a regular expression can match. */
export interface KnownPattern {
  /** Every match starts with one of these, if known. */
  letters?: readonly string[]
  /** Every match contains one of these, in lower case, if known. */
  required?: readonly string[]
}

/**
 * Patterns described at build time, by source. Empty here: scripts/build-hook.ts fills in the
 * built-in ones, because a hook judges a single call and has no time to parse a hundred patterns
 * for it.
 */
export const KNOWN_PATTERNS: ReadonlyMap<string, KnownPattern> = new Map()
