import { z } from 'zod'

const entry = z.object({
  /** Hash of the learning in the specification. */
  hash: z.string(),
  /** Relative to the archive. */
  file: z.string(),
  /** The version as written; a different one was changed by a person. */
  etag: z.string(),
})
export type LearnedEntry = z.infer<typeof entry>

/** `MEMORY/STATE/knowledge-learned.json`: the added learnings, by source. */
export const ledger = z.record(z.string(), entry)
